/**
 * Runs a command for as long as whoever started this process lives: `node supervise.ts <file> [argument…]`.
 *
 * Contract: started as the leader of a process group, with a pipe as standard input. The pipe closes when the starter
 * ends, however it ends, and then the whole group goes with it. So a test run that is killed leaves nothing behind.
 */
import { spawn } from "node:child_process";

const [script = "", ...args] = process.argv.slice(2);
const child = spawn(process.execPath, [script, ...args], { stdio: ["ignore", "inherit", "inherit"] });
child.on("exit", (code) => process.exit(code ?? 1));
// Passed on rather than obeyed: the command ends its own children and waits for them, and then this process follows.
process.on("SIGTERM", () => child.kill("SIGTERM"));
process.stdin.on("end", () => process.kill(-process.pid, "SIGKILL")).resume();
