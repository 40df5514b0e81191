/** Entry `mcp-edge/client/oauth`: providers that get a client its tokens. */
export { authorizationCode, type AuthorizationCodeOptions } from "./client/oauth/authorization-code.ts";
export { announceCallback, popup, type PopupOptions, redirect, type RedirectOptions } from "./client/oauth/browser.ts";
export {
  type ClientCredentials,
  keyClient,
  type OAuthClient,
  type PrivateKey,
  secretClient,
  type SecretMethod,
} from "./client/oauth/client-authentication.ts";
export type { ClientIdentity, RegisteredClient } from "./client/oauth/client-registration.ts";
export { dpop, type DpopOptions, type ProofMaker } from "./client/oauth/dpop.ts";
export type { Grant, GrantContext, IssuedTokens } from "./client/oauth/grant.ts";
export {
  indexedDbOAuthStore,
  type IndexedDbOAuthStoreOptions,
  type Locks,
  type OAuthDatabases,
} from "./client/oauth/indexed-db-store.ts";
export { type Interaction, interactionBy, type Visit } from "./client/oauth/interaction.ts";
export { importPrivateKey } from "./client/oauth/jwt.ts";
export type { OAuthOptions, OAuthProvider } from "./client/oauth/oauth-options.ts";
export { oauthProvider } from "./client/oauth/provider.ts";
export {
  clientCredentials,
  enterpriseManaged,
  type EnterpriseOptions,
  type ServiceOptions,
  workloadIdentity,
  type WorkloadOptions,
} from "./client/oauth/service-grants.ts";
export { memoryOAuthStore, type OAuthStore } from "./client/oauth/store.ts";
