/**
 * Requests that ask and change nothing, so that they do no harm when they are served twice. What is not known here may
 * change something.
 */
const READS = /\/list$|^(resources\/read|prompts\/get|completion\/complete|server\/discover|ping)$/;

export function isRead(method: string): boolean {
  return READS.test(method);
}
