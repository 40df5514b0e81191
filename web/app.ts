/** What every part of the page may ask of the whole. */
import type { SectionName } from "./route.ts";
import type { Server, ServerSettings } from "./server.ts";
import type { State } from "./state.ts";

export interface App {
  /** All that were opened in this tab, the current one among them. */
  readonly servers: State<readonly Server[]>;
  /** The one that the sections show. */
  readonly current: State<Server>;
  /** Makes a server the current one, connecting to it when it is new or its settings differ. */
  open(settings: ServerSettings): Server;
  /** Ends the connection and takes it off `servers`. The last one stays. */
  leave(server: Server): void;
  go(section: SectionName, ...path: readonly string[]): void;
  /** A short notice that goes by itself; read out by screen readers. */
  say(text: string): void;
}

/** One of the places that the navigation names. */
export interface Section {
  readonly element: HTMLElement;
  /**
   * Called when the section comes into view, and whenever the rest of the fragment changes while it is.
   *
   * @returns what to focus if the person moved here
   */
  show(path: readonly string[]): HTMLElement | undefined;
  /** Called when it goes out of view. */
  hide?(): void;
  /** Called when its server is left for good. */
  close?(): void;
}

export type MakeSection = (server: Server, app: App) => Section;
