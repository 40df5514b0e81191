/**
 * Names of hub objects. `hub:<tenant>` is the hub of a tenant, the root of its tree; `leaf:<leaf>:<tenant>` a leaf of it,
 * which holds sockets near its listeners. Pure.
 */

export type HubName =
  | { readonly role: "root"; readonly tenant: string }
  | { readonly role: "leaf"; readonly tenant: string; readonly leaf: string };

/** @throws {TypeError} for an empty tenant: callers without one would all share it */
export function hubName(tenant: string): string {
  return `hub:${assertTenant(tenant)}`;
}

/** @throws {TypeError} for an empty tenant, or what `isLeaf` refuses */
export function leafName(tenant: string, leaf: string): string {
  if (!isLeaf(leaf)) throw new TypeError("leaf: must be of 1 to 64 characters, without a colon");
  return `leaf:${leaf}:${assertTenant(tenant)}`;
}

export function isLeaf(value: unknown): value is string {
  return typeof value === "string" && /^[^:]{1,64}$/.test(value) && value.isWellFormed();
}

/** Undefined when it is not the name of a hub. */
export function parseHubName(name: string): HubName | undefined {
  const [, leaf, leafTenant] = /^leaf:([^:]{1,64}):(.+)$/s.exec(name) ?? [];
  if (leaf !== undefined && leafTenant !== undefined) return { role: "leaf", tenant: leafTenant, leaf };
  const [, tenant] = /^hub:(.+)$/s.exec(name) ?? [];
  return tenant === undefined ? undefined : { role: "root", tenant };
}

function assertTenant(tenant: unknown): string {
  if (typeof tenant !== "string" || tenant === "") throw new TypeError("tenant: must be a string that is not empty");
  if (!tenant.isWellFormed()) throw new TypeError("tenant: must be valid Unicode");
  return tenant;
}
