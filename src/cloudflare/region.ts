/**
 * Where a caller's leaf of the relay tree belongs: near the caller, as far as the request tells. Pure.
 *
 * @see https://developers.cloudflare.com/durable-objects/reference/data-location/
 */
import type { Caller } from "../server/exchange.ts";

/** A leaf of the relay tree, and where it is to be created if it does not exist yet. */
export interface Leaf {
  /** Without ":". */
  readonly name: string;
  readonly locationHint?: DurableObjectLocationHint;
}

/** Between the Rocky Mountains and the plains, in degrees east; objects live in data centres on either coast. */
const NORTH_AMERICA_DIVIDE = -100;
/** East of Berlin, Prague and Vienna. */
const EUROPE_DIVIDE = 17;
/** Between Iran and Pakistan. */
const ASIA_DIVIDE = 61;

/**
 * Spreads a tenant's listeners over one leaf for each region that they call from, or over several when one object is
 * not enough for a region. Callers whose place is unknown join the root itself.
 *
 * @param shards leaves in each region, at least 1
 * @param random yields 0 (included) to 1 (excluded), as `Math.random` does
 */
export function byRegion(shards = 1, random: () => number = Math.random): (caller: Caller) => Leaf | undefined {
  if (!Number.isSafeInteger(shards) || shards < 1) throw new TypeError("shards: must be a whole number of at least 1");
  return ({ request }) => {
    const locationHint = nearestHint(request?.cf);
    if (locationHint === undefined) return undefined;
    return { name: `${locationHint}-${Math.floor(random() * shards)}`, locationHint };
  };
}

function nearestHint(cf: Request["cf"]): DurableObjectLocationHint | undefined {
  const longitude = degrees(cf?.["longitude"]);
  switch (cf?.["continent"]) {
    case "NA":
      return longitude !== undefined && longitude < NORTH_AMERICA_DIVIDE ? "wnam" : "enam";
    case "SA":
      return "sam";
    case "EU":
      return longitude !== undefined && longitude > EUROPE_DIVIDE ? "eeur" : "weur";
    case "AS":
      return longitude !== undefined && longitude > 0 && longitude < ASIA_DIVIDE ? "me" : "apac";
    case "AF":
      return "afr";
    case "OC":
    case "AN":
      return "oc";
    default:
      return undefined; // Absent in local runs, and "T1" for Tor.
  }
}

/** The runtime gives coordinates as text. */
function degrees(value: unknown): number | undefined {
  const number = typeof value === "string" && value !== "" ? Number(value) : Number.NaN;
  return Number.isFinite(number) ? number : undefined;
}
