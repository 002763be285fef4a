import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { HOOKED_PROGRAMS } from "../programs/index.ts";
import { HOOK_SCRIPT } from "./hooked-program.ts";
import { hookCommand, hookScript } from "./script.ts";
import { HOOK_SIGN } from "./sign.ts";

const OUTPUT = '{"hookSpecificOutput":{"additionalContext":"it\'s \\\\n 100% $HOME é"}}';

let home: string;
let server: Server;
let received: { readonly path: string; readonly body: Record<string, unknown> }[];
/** What is answered under a path; other paths get no content. `hangs-up`: the daemon is gone. */
let answers: Record<string, string | "hangs-up">;

beforeEach(async () => {
  home = join(mkdtempSync("/tmp/bh-"), "it's a home");
  for (const name of ["hooks", "run", "spool"]) mkdirSync(join(home, name), { recursive: true });
  writeFileSync(join(home, HOOK_SCRIPT), hookScript(HOOKED_PROGRAMS));
  writeFileSync(join(home, "run", HOOK_SIGN), "");
  received = [];
  answers = {};
  server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const path = request.url ?? "";
      const answer = answers[path];
      received.push({ path, body: JSON.parse(Buffer.concat(chunks).toString("utf8")) });
      if (answer === "hangs-up") response.destroy();
      else response.writeHead(answer === undefined ? 204 : 200).end(answer);
    });
  });
  await new Promise<void>((resolve) => server.listen(join(home, "run/http.sock"), resolve));
});

afterEach(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  rmSync(join(home, ".."), { recursive: true });
});

function run(event: string, payload: string): Promise<string> {
  const command = hookCommand(join(home, HOOK_SCRIPT), "claude", event);
  const child = spawn("/bin/sh", ["-c", command], {
    env: { PATH: process.env.PATH ?? "/usr/bin:/bin", brief: "yes", says: "no", code: "no" },
    stdio: ["pipe", "pipe", "inherit"],
  });
  let out = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    out += text;
  });
  child.stdin.end(payload);
  return new Promise((resolve) => child.on("close", () => resolve(out)));
}

const spooled = () =>
  readdirSync(join(home, "spool")).map((name) => JSON.parse(readFileSync(join(home, "spool", name), "utf8")));
const paths = () => received.map(({ path }) => path);

describe("the hook script, if text waits for its program", () => {
  it("takes it with the code, prints it as it is, and reports that", async () => {
    answers = { "/hooks/Stop": '{"take":"hA1_-"}', "/hook-answers/hA1_-": OUTPUT };
    expect(await run("Stop", '{"session_id":"s"}')).toBe(`${OUTPUT}\n`);
    expect(paths()).toEqual(["/hooks/Stop", "/hook-answers/hA1_-", "/hooks/AnswerPrinted"]);
    expect(received[0]?.body).toMatchObject({ takes: true });
    expect(received[1]?.body).toEqual({ pid: expect.any(Number) });
    expect(received[2]?.body).toMatchObject({
      event_name: "AnswerPrinted",
      answer: "hA1_-",
      payload: { session_id: "s" },
    });
    expect(received[2]?.body).not.toHaveProperty("takes");
  });

  it("prints and reports nothing if there is no text for it after all", async () => {
    answers = { "/hooks/Stop": '{"take":"h1"}' };
    expect(await run("Stop", "{}")).toBe("");
    expect(paths()).toEqual(["/hooks/Stop", "/hook-answers/h1"]);
  });

  it.each(['{"take":""}', '{"take":"a/b"}', '{"take":"a b"}', '{"take":"$(date)"}', '{"take":"x"'])(
    "ignores %s",
    async (answer) => {
      answers = { "/hooks/Stop": answer };
      expect(await run("Stop", "{}")).toBe("");
      expect(paths()).toEqual(answer.endsWith("}") ? ["/hooks/Stop"] : expect.anything());
    },
  );

  it("spools that it has printed, if the daemon ends meanwhile, and never the text", async () => {
    answers = {
      "/hooks/Stop": '{"take":"h1"}',
      "/hook-answers/h1": OUTPUT,
      "/hooks/AnswerPrinted": "hangs-up",
    };
    expect(await run("Stop", '{"session_id":"s"}')).toBe(`${OUTPUT}\n`);
    expect(spooled()).toMatchObject([{ event_name: "AnswerPrinted", answer: "h1" }]);
    expect(JSON.stringify(spooled())).not.toContain("additionalContext");
  });

  it("prints nothing if the daemon ends before it has answered", async () => {
    answers = { "/hooks/Stop": '{"take":"h1"}', "/hook-answers/h1": "hangs-up" };
    expect(await run("Stop", "{}")).toBe("");
    expect(spooled()).toEqual([]);
  });
});

describe("the hook script after a tool", () => {
  const payload = (input: object, response: unknown) =>
    JSON.stringify({
      ...{ session_id: "s", cwd: "/home/dev", agent_id: "a1", tool_name: "Bash", tool_input: input },
      ...{ tool_response: response, tool_use_id: "t" },
    });

  it("passes on what comes before the tool's input, however large the rest is", async () => {
    await run("PostToolUse", payload({ content: "é".repeat(400_000) }, "x".repeat(1_000_000)));
    expect(received[0]?.body.payload).toEqual({
      ...{ session_id: "s", cwd: "/home/dev", agent_id: "a1", tool_name: "Bash" },
    });
  });

  it("is not misled by a value that looks like the field", async () => {
    const cwd = 'a,"tool_input":{}';
    await run("PostToolUse", JSON.stringify({ session_id: "s", cwd, tool_input: { tool_input: 1 } }));
    expect(received[0]?.body.payload).toEqual({ session_id: "s", cwd });
  });

  it("asks nobody while nothing waits, and reads what it is given", async () => {
    rmSync(join(home, "run", HOOK_SIGN));
    expect(await run("PostToolUse", payload({}, "x".repeat(1_000_000)))).toBe("");
    expect(received).toEqual([]);
    await run("Stop", "{}");
    expect(paths()).toEqual(["/hooks/Stop"]);
  });

  it("spools nothing: later it is worth nothing", async () => {
    answers = { "/hooks/PostToolUse": "hangs-up" };
    expect(await run("PostToolUse", payload({}, ""))).toBe("");
    expect(spooled()).toEqual([]);
  });
});
