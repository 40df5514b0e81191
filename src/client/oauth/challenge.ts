/**
 * Reads `WWW-Authenticate`: any number of challenges, in one header or several joined by the platform, in any order.
 *
 * @see RFC 9110 section 11.6.1, RFC 9728 section 5.1, RFC 6750 section 3
 */

export interface Challenge {
  /** Lower case. */
  readonly scheme: string;
  /** By lower-case name, unescaped; the first of a name counts. */
  readonly params: ReadonlyMap<string, string>;
}

/** Longer headers are cut: what counts comes early, and nobody needs so many. */
const MAX_HEADER_LENGTH = 16_384;
/** A parameter with its value, or a scheme (with a token68, which no challenge of interest has); commas and folding between. */
const PIECE =
  /[\s,]*(?:([\w!#$%&'*+.^`|~-]+)[ \t]*=[ \t]*(?:"((?:[^"\\]|\\[^])*)"|([^\s,"]+))|([\w!#$%&'*+.^`|~-]+)(?:[ \t]+[\w.~+/-]+=*(?=[ \t]*(?:,|$)))?)/y;

export function parseChallenges(header: string | null): Challenge[] {
  const text = (header ?? "").slice(0, MAX_HEADER_LENGTH);
  const challenges: Challenge[] = [];
  let params = new Map<string, string>();
  PIECE.lastIndex = 0;
  for (let match = PIECE.exec(text); match !== null; match = PIECE.exec(text)) {
    const [, name, quoted, plain, scheme] = match;
    if (scheme !== undefined) {
      params = new Map();
      challenges.push({ scheme: scheme.toLowerCase(), params });
    } else if (name !== undefined && !params.has(name.toLowerCase())) {
      params.set(name.toLowerCase(), quoted?.replaceAll(/\\([^])/g, "$1") ?? plain ?? "");
    }
  }
  return challenges;
}

/** What a protected MCP server said, whichever of its schemes said it. */
export interface ServerChallenge {
  readonly error: string | undefined;
  /** Undefined: the server names none. */
  readonly scopes: readonly string[] | undefined;
  readonly resourceMetadata: string | undefined;
}

export function serverChallenge(response: Response): ServerChallenge {
  const challenges = parseChallenges(response.headers.get("www-authenticate")).filter(
    ({ scheme }) => scheme === "bearer" || scheme === "dpop",
  );
  const find = (name: string): string | undefined =>
    challenges.map(({ params }) => params.get(name)).find((value) => value !== undefined && value !== "");
  return {
    error: find("error"),
    scopes: find("scope")?.split(" ").filter(Boolean),
    resourceMetadata: find("resource_metadata"),
  };
}
