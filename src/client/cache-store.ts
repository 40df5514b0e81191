/** The seam between what a client may use again and where that is kept. */

/**
 * Where results are kept, as text. Bounding their number and size is the store's business. Several clients, and tabs, may
 * share one: keys name the server. Any method may reject.
 */
export interface CacheStore {
  get(key: string): Promise<string | undefined>;
  set(key: string, text: string): Promise<void>;
  delete(matches: (key: string) => boolean): Promise<void>;
  clear(): Promise<void>;
}
