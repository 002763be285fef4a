/** Runs a part of the product in a separate process that has no file descriptor left. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { rolldown } from "rolldown";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
/** `first` runs while descriptors are left, so that what it calls is loaded. */
const script = (first: string, then: string) => `
import { openSync, writeSync } from "node:fs";
const product = await import(process.argv[1]);
const tell = (value) => { writeSync(1, JSON.stringify(value)); process.exit(0); };
process.on("uncaughtException", (error) => tell({ uncaught: error.message }));
${first}
try { for (;;) openSync("/dev/null", "r"); } catch {}
${then}
`;

/** What `then` reports; `product` is the module's exports. */
export async function withoutDescriptors(module: string, first: string, then: string): Promise<unknown> {
  // Node reads TypeScript itself only from 22 on.
  const built = await rolldown({ input: join(root, module), platform: "node" });
  const { output } = await built.generate({ format: "esm" });
  await built.close();
  const url = `data:text/javascript,${encodeURIComponent(output[0].code)}`;
  const run = [process.execPath, "--input-type=module", "-e", script(first, then), url];
  // In its own process group, because a signal to process 0 goes to the whole group.
  const child = spawn("sh", ["-c", 'ulimit -n 64; exec "$@"', "sh", ...run], {
    stdio: ["ignore", "pipe", "inherit"],
    detached: true,
  });
  let said = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    said += text;
  });
  await once(child, "close");
  return said === "" ? "ended without a word" : JSON.parse(said);
}
