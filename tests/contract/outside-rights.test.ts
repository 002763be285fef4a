/** What an agent may not do with the doors to the outside, from its own command line. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { Bellhop } from "../rig/bellhop.ts";

const CONFIG = `person: { channels: ["telegram/42"] }
bridges: { telegram: { token_file: bot-token, api_root: "http://127.0.0.1:9" } }
`;

let bellhop: Bellhop;

beforeAll(async () => {
  bellhop = new Bellhop({ config: CONFIG });
  writeFileSync(join(bellhop.home, "bot-token"), "1:secret\n", { mode: 0o600 });
  await bellhop.start();
  await bellhop.json(["agent", "add", "coder"]);
});

afterAll(() => bellhop.dispose());

it.each([
  [
    "add a bridge",
    ["bridge", "add", "slack", "--app-token-file", "bot-token", "--bot-token-file", "bot-token"],
  ],
  ["remove a bridge", ["bridge", "remove", "telegram"]],
  ["test a bridge", ["bridge", "test", "telegram"]],
  ["say that the person is away", ["away", "on"]],
  ["say that the person is there", ["away", "off"]],
  ["ask whether they are", ["away", "status"]],
  ["ask the desk", ["desk", "try", "[coder] hello"]],
  ["listen in on the person", ["sub", "add", "coder", "telegram/42"]],
  ["listen in on everybody", ["sub", "add", "coder", "telegram/**"]],
  ["write to a stranger", ["send", "telegram/77", "hello"]],
  ["write to a stranger later", ["remind", "5m", "hello", "--to", "telegram/77"]],
  ["take what the desk has", ["inbox", "desk/answers", "--take"]],
  ["take what goes out", ["inbox", "bridge/telegram", "--take"]],
  ["see what was said outside", ["history"]],
] as const)("may not %s", async (_, args) => {
  const before = readFileSync(join(bellhop.home, "config.yaml"), "utf8");
  const refused = await bellhop.run([...args, "--json"], {
    env: { CLAUDE_CODE_SESSION_ID: "0f0f0f0f-0000-4000-8000-000000000000" },
  });
  expect([refused.code, refused.stdout]).toEqual([1, ""]);
  expect(refused.stderr).toContain("rights.missing");
  expect(readFileSync(join(bellhop.home, "config.yaml"), "utf8")).toBe(before);
  expect(refused.stderr).not.toContain("secret");
});

it("may speak outside, under its own name", async () => {
  const sent = await bellhop.json<{ deliveries: readonly { to: string }[] }>(
    ["send", "telegram/42", "hello"],
    { env: { CLAUDE_CODE_SESSION_ID: "0f0f0f0f-0000-4000-8000-000000000000" } },
  );
  expect(sent.deliveries.map(({ to }) => to)).toEqual(["bridge/telegram"]);
});
