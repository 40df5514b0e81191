/** How a person is sent to an authorization server and comes back: the seam for browsers, terminals and tests. */

export interface Interaction {
  /** Gets ready for one flow, before anything is registered. */
  open(signal: AbortSignal): Promise<Visit>;
}

export interface Visit {
  /** Where the authorization server sends people back to. */
  readonly redirectUri: string;
  /** Whether this page ends when the person is sent off, so that what it kept of the flow is for the next one. */
  readonly leaves?: boolean;
  /**
   * Shows the URL to a person.
   *
   * @param url `https:`, or `http:` on this machine
   * @returns the URL that the person came back to, with everything behind it; another flow's may not be returned
   */
  authorize(url: URL, signal: AbortSignal): Promise<string>;
  /** Called once, however the flow ended. */
  close?(): Promise<void> | void;
}

/** An interaction that is one function, such as a prompt to open a URL and paste what came back. */
export function interactionBy(redirectUri: string, authorize: Visit["authorize"]): Interaction {
  return { open: () => Promise.resolve({ redirectUri, authorize }) };
}
