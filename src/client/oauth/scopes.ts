/**
 * Which scopes to ask for.
 *
 * @see spec 2026-07-28 basic/authorization#scope-selection-strategy
 */

const OFFLINE = "offline_access";

export interface ScopeSources {
  /** Of the challenge: authoritative for the operation at hand. */
  readonly challenged: readonly string[] | undefined;
  /** Asked for or granted before, at the same issuer. */
  readonly previous: readonly string[] | undefined;
  /** `scopes_supported` of the resource: what basic use needs. */
  readonly resource: readonly string[] | undefined;
}

/** Undefined: the parameter is left out, and the authorization server decides. */
export function chooseScopes({ challenged, previous, resource }: ScopeSources): readonly string[] | undefined {
  if (challenged === undefined && previous === undefined) return resource;
  // SHOULD — #step-up-authorization-flow: servers name what one operation needs, so what was there before is added.
  return union(previous, challenged);
}

export function union(...sets: readonly (readonly string[] | undefined)[]): readonly string[] {
  return [...new Set(sets.flatMap((set) => set ?? []))];
}

export function covers(have: readonly string[], needed: readonly string[] | undefined): boolean {
  return (needed ?? []).every((scope) => have.includes(scope));
}

/**
 * A refresh token is asked for where the authorization server knows how to be asked, and never elsewhere, whatever a
 * resource says. Without other scopes nothing is added, since that would take the default ones away.
 *
 * @see spec 2026-07-28 basic/authorization#refresh-tokens
 */
export function withOfflineAccess(
  scopes: readonly string[] | undefined,
  supported: readonly string[] | undefined,
): readonly string[] | undefined {
  const others = scopes?.filter((scope) => scope !== OFFLINE);
  if (others === undefined || others.length === 0) return scopes === undefined ? undefined : others;
  return supported?.includes(OFFLINE) === true ? [...others, OFFLINE] : others;
}
