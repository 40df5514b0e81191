/** The page that an authorization server leads back to: tells the page that opened it, and goes. */
import { announceCallback } from "../../src/client/oauth/browser.ts";

announceCallback();
