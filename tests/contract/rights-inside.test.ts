/** Commands that run inside an agent, however they hide it: the built command line, a real daemon, real processes. */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { ShownAgent } from "../../src/wire/shapes/sessions.ts";
import { bellhopOnPath } from "../rig/bellhop.ts";
import { readScriptedLog, scriptedCommand, until } from "../rig/scripted-agent.ts";
import { hostedStage } from "./hosted-stage.ts";

const stage = hostedStage();

/**
 * Each in a shell under the agent, one after the other. `$API` is another agent's session, `$TALK` its conversation, `$ID` a
 * message to it.
 */
const ATTACKS: Readonly<Record<string, string>> = {
  keys: "bellhop send api --raw --key Enter",
  "a shell command, raw": "bellhop send api --raw '!touch x'",
  "a raw answer": 'bellhop reply "$ID" --raw x',
  "without its variable": "env -u BELLHOP_SESSION_ID bellhop send api --raw --key Enter",
  "without any variable":
    'env -i PATH="$PATH" BELLHOP_HOME="$BELLHOP_HOME" bellhop send api --raw --key Enter',
  "with another's variable": 'BELLHOP_SESSION_ID="$API" bellhop inbox --take',
  "with the variable of another's conversation": 'CLAUDE_CODE_SESSION_ID="$TALK" bellhop inbox --take',
  "with the variable of another's thread": 'CODEX_THREAD_ID="$TALK" bellhop inbox --take',
  "with a made up variable": "BELLHOP_SESSION_ID=deadbeef bellhop send api --raw --key Enter",
  "a child of a child":
    'sh -c \'env -i PATH="$PATH" BELLHOP_HOME="$BELLHOP_HOME" sh -c "bellhop queue now $ID; exit \\$?"\'',
  "a report of another's turn": `printf '{"program":"scripted","event_name":"Stop","payload":{"session_id":"%s"}}' "$TALK" | bellhop hook`,
  "a report from another's terminal": `printf '{"program":"scripted","event_name":"Stop","payload":{},"environment":{"BELLHOP_SESSION_ID":"%s"}}' "$API" | bellhop hook`,
  "another's mail": "bellhop inbox api --take",
  "another's message": 'bellhop read "$ID"',
  "another's message now": 'bellhop queue now "$ID"',
  "a draft": "bellhop draft show api",
  "in another's name": "bellhop send api hello --from person/dev",
  "another stopped": "bellhop stop api",
  "another's token": "bellhop agent token api",
  "a file from elsewhere": "bellhop send mallory --file /etc/passwd",
  "a file from elsewhere, by a link": "ln -s /etc/passwd link; bellhop send mallory --file link",
  "the settings": "bellhop config",
  "the dashboard": "bellhop open --print",
  "the browsers that are logged in": "bellhop open sessions",
  "the hooks": "bellhop hooks install --yes",
  "the daemon": "bellhop down",
};

function script(results: string): string {
  const lines = Object.entries(ATTACKS).map(
    ([name, command]) =>
      `out=$( ( ${command} ) 2>&1 </dev/null ); printf '%s|%s|%s\\n' ${JSON.stringify(name)} "$?" "$(printf %s "$out" | tr '\\n' ' ')" >> ${results}`,
  );
  return `${lines.join("\n")}\nbellhop send api "by its own right" > /dev/null 2>&1\necho done >> ${results}\nexec sleep 600\n`;
}

/** Its hook reports a conversation; from then on a caller of unknown origin that names it speaks as that agent. */
async function converses(sessionId: string, talk: string): Promise<void> {
  const { bellhop } = stage;
  const told = {
    program: "scripted",
    event_name: "SessionStart",
    environment: { BELLHOP_SESSION_ID: sessionId },
    payload: { session_id: talk },
  };
  expect(await bellhop.run(["hook"], { stdin: JSON.stringify(told) })).toMatchObject({ code: 0 });
  for (const variable of ["CLAUDE_CODE_SESSION_ID", "CODEX_THREAD_ID"]) {
    const { stdout } = await bellhop.run(["inbox"], { env: { [variable]: talk } });
    expect([variable, stdout.includes("a secret")]).toEqual([variable, true]);
  }
}

describe("what runs inside an agent", () => {
  it("has the rights of that agent, whatever it says of itself", async () => {
    const { bellhop, folder } = stage;
    const apiLog = join(folder, "api.jsonl");
    const api = await bellhop.runDetached(scriptedCommand("api", apiLog), { name: "api", folder });
    await until(() => readScriptedLog(apiLog).length > 0, "api to start");
    await bellhop.run(["queue", "pause", "api"]);
    const { shortId } = await bellhop.json<{ shortId: string }>(["send", "api", "a secret"]);
    const TALK = "0199aaaa-bbbb-7ccc-8ddd-eeeeeeeeeeee";
    await converses(api.sessionId, TALK);
    const results = join(folder, "results");
    writeFileSync(join(folder, "attacks.sh"), script(results));
    const PATH = `${bellhopOnPath(join(folder, "bin"))}:${process.env.PATH ?? ""}`;
    await bellhop.json(
      ["run", "--detach", "--name", "mallory", "--cwd", folder, "--", "sh", join(folder, "attacks.sh")],
      { env: { PATH, API: api.sessionId, TALK, ID: shortId } },
    );
    await until(
      () => existsSync(results) && readFileSync(results, "utf8").endsWith("done\n"),
      "every attack",
      120_000,
    );
    const outcomes = readFileSync(results, "utf8")
      .trim()
      .split("\n")
      .slice(0, -1)
      .map((line) => line.split("|"));
    expect(outcomes.map(([name]) => name)).toEqual(Object.keys(ATTACKS));
    for (const [name, status, said = ""] of outcomes) {
      // Taking one's own inbox is no attack; even with another's name in the variable it is still one's own.
      if (/^with (?:another's variable|the variable of)/.test(name ?? ""))
        expect([status, said.includes("a secret")]).toEqual(["0", false]);
      else
        expect([
          name,
          status,
          /the right "|only the owner may|An agent speaks for itself/.test(said) ? "refused" : said,
        ]).toEqual([name, "1", "refused"]);
    }
    const queue = await bellhop.json<readonly { from: string; state: string }[]>(["queue", "api"]);
    expect(queue.map(({ from }) => from.replace(/^person\/.*/, "person")).toSorted()).toEqual([
      "agent/mallory",
      "person",
    ]);
    expect(readScriptedLog(apiLog).flatMap(({ prompt, answered }) => prompt ?? answered ?? [])).toEqual([]);
    const shown = await bellhop.json<ShownAgent>(["agent", "show", "mallory"]);
    expect(shown.rights).toEqual(["send", "urgent", "spawn", "remind", "subscribe"]);
  }, 180_000);

  it("has what the config gives it, as soon as that is written", async () => {
    const { bellhop, folder } = stage;
    const mine = await bellhop.runDetached(scriptedCommand("mine", join(folder, "mine.jsonl")), {
      name: "mine",
      folder,
    });
    const env = { BELLHOP_SESSION_ID: mine.sessionId };
    await bellhop.json(["agent", "add", "api"]);
    expect((await bellhop.run(["inbox", "api"], { env })).code).toBe(1);
    const config = join(bellhop.home, "config.yaml");
    writeFileSync(
      config,
      `${readFileSync(config, "utf8")}\nrights: { agents: { mine: [mail-of-others] } }\n`,
    );
    const rights = async () => (await bellhop.json<ShownAgent>(["agent", "show", "mine"])).rights;
    while (!(await rights()).includes("mail-of-others"))
      await new Promise((resolve) => setTimeout(resolve, 50));
    expect((await bellhop.run(["inbox", "api"], { env })).code).toBe(0);
    expect((await bellhop.run(["inbox", "api"], { env: { BELLHOP_SESSION_ID: "deadbeef" } })).code).toBe(1);
  });
});
