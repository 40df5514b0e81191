/** `mcp-edge/client/legacy`: servers of revisions 2025-11-25 and older. */
export { legacyFallback, type LegacyOptions, streamableFallback } from "./client/legacy/fallback.ts";
