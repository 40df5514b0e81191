/**
 * The bus between Worker isolates: one hub object for each tenant, which a listener joins from its own request and
 * anybody publishes to.
 *
 * @see docs/subscriptions.md
 */
import { exports } from "cloudflare:workers";
import { McpError } from "../protocol/errors.ts";
import type { Change } from "../protocol/subscription.ts";
import type { Caller } from "../server/exchange.ts";
import type { Bus, Listener, Scope } from "../subscriptions/bus.ts";
import { backOffMs } from "./back-off.ts";
import { type Clock, systemClock } from "./clock.ts";
import { JOIN_HEADER } from "./frames.ts";
import { isNamespace } from "./hub-namespace.ts";
import { hubName, leafName } from "./hub-name.ts";
import { DEFAULT_TIMINGS, Leg, type LegTimings } from "./leg.ts";
import type { Leaf } from "./region.ts";

/** What a Worker needs of a stub of `SubscriptionHub`. */
export interface HubStub {
  fetch(url: string, init: RequestInit): Promise<Response>;
  publish(changes: Change[], publication: string): Promise<number>;
}

/** A `DurableObjectNamespace<SubscriptionHub>`, as far as it is used. */
export interface HubNamespace {
  getByName(name: string, options?: { locationHint?: DurableObjectLocationHint }): HubStub;
}

export interface HubBusOptions<Env> extends Partial<LegTimings> {
  /**
   * Where the hubs are. By default the class `SubscriptionHub` that the Worker's main module exports, or else the
   * binding `SUBSCRIPTION_HUB`.
   */
  readonly namespace?: (env: Env) => HubNamespace;
  /** Which leaf of the tenant's relay tree a listener joins, such as `byRegion()`. By default the root itself. */
  readonly leaf?: (caller: Caller<Env>) => Leaf | undefined;
  /** How long a hub may take to answer one attempt to publish. 5,000 by default. */
  readonly publishTimeoutMs?: number;
  readonly clock?: Clock;
  /** 0 (included) to 1 (excluded); `Math.random` by default. */
  readonly random?: () => number;
}

export interface HubBus<Env> extends Bus<Env> {
  subscribe(listener: HubListener<Env>, scope: Scope<Env>, signal: AbortSignal): Promise<void>;
}

export interface HubListener<Env> extends Omit<Listener<Env>, "caller"> {
  readonly caller?: Caller<Env>;
  /** Wants everything, whatever its filter says, and from that time on: milliseconds since the epoch. */
  readonly allAfter?: number;
}

/** Objects are found by name, and a name of more than 1,024 bytes is not told to its object. */
const MAX_TENANT_LENGTH = 256;
/** As many as a hub takes in one call. */
const MAX_CHANGES_PER_CALL = 1_000;
const PUBLISH_TIMEOUT_MS = 5_000;
const PUBLISH_ATTEMPTS = 5;
/** What an overloaded object needs most is to be left alone: as many failures are added, so that the wait is 16 times as long. */
const OVERLOAD_FAILURES = 4;

/**
 * A bus over Durable Objects. Also to be used outside of requests that listen: in a cron, queue or alarm handler, in
 * another Durable Object, or in another Worker with a binding to the class.
 *
 * Its methods throw a `TypeError` for a tenant that is empty or longer than 256 characters, and when there is no namespace.
 */
export function hubBus<Env = unknown>(options: HubBusOptions<Env> = {}): HubBus<Env> {
  const { namespace = defaultNamespace, publishTimeoutMs = PUBLISH_TIMEOUT_MS } = options;
  const { clock = systemClock, random = Math.random } = options;
  const timings = { ...DEFAULT_TIMINGS, ...definedPart(options) };
  return {
    async subscribe(listener, { tenant, env }, signal) {
      const hubs = assertNamespace(namespace(env));
      const { name, hint } = placeOf(assertTenant(tenant), listener.caller && options.leaf?.(listener.caller));
      // A new stub each time: one that has thrown may stay broken.
      const dial = (join: string) =>
        hubs.getByName(name, hint).fetch("https://hub/", {
          headers: { upgrade: "websocket", [JOIN_HEADER]: join },
        });
      const { allAfter } = listener;
      await new Leg({ listener, allAfter, signal, dial, timings, clock, random }).open();
    },
    async publish(changes, scope) {
      const hubs = assertNamespace(namespace(scope.env));
      const name = hubName(assertTenant(scope.tenant));
      for (let start = 0; start < changes.length; start += MAX_CHANGES_PER_CALL) {
        const part = changes.slice(start, start + MAX_CHANGES_PER_CALL);
        // The same for all attempts, so that the hub recognises what it has although its answer was lost.
        const publication = crypto.randomUUID();
        const attempt = () => hubs.getByName(name).publish(part, publication);
        await persist(attempt, { publishTimeoutMs, clock, random });
      }
    },
  };
}

/** @throws {McpError} `publish_failed` */
async function persist(
  attempt: () => Promise<unknown>,
  { publishTimeoutMs, clock, random }: Required<Pick<HubBusOptions<never>, "publishTimeoutMs" | "clock" | "random">>,
): Promise<void> {
  for (let failures = 1; ; failures += 1) {
    try {
      await within(publishTimeoutMs, attempt());
      return;
    } catch (error) {
      // The hub's judgment of the arguments will not change.
      if (failures === PUBLISH_ATTEMPTS || error instanceof TypeError) {
        throw new McpError("publish_failed", "The hub did not take the changes", { cause: error });
      }
      await clock.pause(backOffMs(failures + (isOverloaded(error) ? OVERLOAD_FAILURES : 0), random));
    }
  }
}

async function within(timeoutMs: number, answer: Promise<unknown>): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const timeout = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`the hub did not answer in ${timeoutMs} ms`)), timeoutMs);
  });
  try {
    await Promise.race([answer, timeout]);
  } finally {
    clearTimeout(timer);
  }
}

/** @see https://developers.cloudflare.com/durable-objects/best-practices/error-handling/ */
function isOverloaded(error: unknown): boolean {
  return error instanceof Error && "overloaded" in error && error.overloaded === true;
}

function placeOf(
  tenant: string,
  leaf: Leaf | undefined,
): { name: string; hint: { locationHint?: DurableObjectLocationHint } } {
  if (leaf === undefined) return { name: hubName(tenant), hint: {} };
  const { name, locationHint } = leaf;
  return { name: leafName(tenant, name), hint: locationHint === undefined ? {} : { locationHint } };
}

function assertTenant(tenant: unknown): string {
  if (typeof tenant === "string" && tenant.length <= MAX_TENANT_LENGTH) return tenant;
  throw new TypeError(`tenant: must be a string of at most ${MAX_TENANT_LENGTH} characters`);
}

/** The timings that are set: `undefined` means the default. */
function definedPart(timings: Partial<LegTimings>): Partial<LegTimings> {
  const { joinTimeoutMs, maxOutageMs, probeMs } = timings;
  return {
    ...(joinTimeoutMs !== undefined && { joinTimeoutMs }),
    ...(maxOutageMs !== undefined && { maxOutageMs }),
    ...(probeMs !== undefined && { probeMs }),
  };
}

function defaultNamespace(env: unknown): HubNamespace {
  // Absent before `enable_ctx_exports`; a class that is not configured as a Durable Object is there without methods.
  const own: unknown = Reflect.get(exports, "SubscriptionHub");
  if (isHubs(own)) return own;
  const bound: unknown = typeof env === "object" && env !== null ? Reflect.get(env, "SUBSCRIPTION_HUB") : undefined;
  if (isHubs(bound)) return bound;
  throw new TypeError(
    "hubBus: the main module exports no Durable Object class SubscriptionHub, and there is no binding SUBSCRIPTION_HUB",
  );
}

/** What the option returned: a binding may be missing, or named otherwise. */
function assertNamespace(value: unknown): HubNamespace {
  if (isHubs(value)) return value;
  throw new TypeError("hubBus: namespace returned no Durable Object namespace");
}

/** Of whichever class: its hubs are found out by what they answer. */
function isHubs(value: unknown): value is HubNamespace {
  return isNamespace(value);
}
