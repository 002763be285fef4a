/** Variables that hold a bridge's secret are the daemon's alone: nothing that it starts inherits them. */
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Bellhop } from "../rig/bellhop.ts";
import { until } from "../rig/scripted-agent.ts";

const SECRETS = {
  RIG_TELEGRAM: "secret-telegram",
  RIG_SLACK_APP: "secret-slack-app",
  RIG_SLACK_BOT: "secret-slack-bot",
  RIG_IMAP: "secret-imap",
  RIG_SMTP: "secret-smtp",
} as const;
/** It is named by the file later. */
const LATER = { RIG_HOOK: "hooked-secret" } as const;

/** Nothing listens there: what matters is that the daemon reads the secret. */
const NOWHERE = "http://127.0.0.1:9";

const BRIDGES = `
bridges:
  telegram: { token_env: RIG_TELEGRAM, api_root: "${NOWHERE}" }
  slack: { app_token_env: RIG_SLACK_APP, bot_token_env: RIG_SLACK_BOT, api_url: "${NOWHERE}/" }
  email:
    address: bot@rig.test
    authserv_id: rig.test
    imap: { host: 127.0.0.1, port: 9, user: bot, password_env: RIG_IMAP }
    smtp: { host: 127.0.0.1, port: 9, user: bot, password_env: RIG_SMTP }
`;

let folder: string;
let bellhop: Bellhop;

const seenBy = (name: string) => join(folder, `${name}.env`);
const keepsEnvironment = (name: string) => ["sh", "-c", `env > ${seenBy(name)}; exec sleep 600`];

/** A program of the system that writes down what it inherits. */
function stub(name: string): void {
  const path = join(folder, "bin", name);
  writeFileSync(path, `#!/bin/sh\nenv > ${seenBy(name)}\n`);
  chmodSync(path, 0o755);
}

async function inherited(name: string): Promise<string> {
  const isThere = () => existsSync(seenBy(name)) && readFileSync(seenBy(name), "utf8").includes("KEPT=kept");
  await until(isThere, `${name} to say what it inherits`);
  return readFileSync(seenBy(name), "utf8");
}

async function expectNone(name: string, secrets: Readonly<Record<string, string>> = SECRETS): Promise<void> {
  const text = await inherited(name);
  // Not the text itself: a failed test would print everything.
  expect(
    Object.entries(secrets)
      .flat()
      .filter((word) => text.includes(word)),
  ).toEqual([]);
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "bh-secret-"));
  mkdirSync(join(folder, "bin"));
  for (const name of ["notify-send", "loginctl"]) stub(name);
  bellhop = new Bellhop({
    config: `notify: [desktop]
desk: { classifier: { command: [sh, -c, "env > ${seenBy("classifier")}; cat > /dev/null; echo none"] } }
tmux: { servers: ["${join(folder, "none.sock")}"] }
${BRIDGES}`,
    env: { ...SECRETS, ...LATER, KEPT: "kept", PATH: `${join(folder, "bin")}:${process.env.PATH ?? ""}` },
  });
  await bellhop.start();
});

afterAll(async () => {
  await bellhop.dispose();
  rmSync(folder, { recursive: true, force: true });
});

describe("a variable that holds a secret", () => {
  it("is read by the daemon", async () => {
    const client = await bellhop.client();
    const { bridges } = await client.call("bridges", {});
    expect(bridges.map(({ name }) => name).sort()).toEqual(["email", "slack", "telegram"]);
    expect(JSON.stringify(bridges)).not.toContain("is not set");
  });

  it("does not reach a program in a terminal, though its starter has it too", async () => {
    await bellhop.runDetached(keepsEnvironment("hosted"), { name: "hosted", folder });
    await expectNone("hosted");
  });

  it("does not reach a program that is started by HTTP with the daemon's own variables", async () => {
    const { http, tokenFile } = await bellhop.json<{ http: { port: number }; tokenFile: string }>(["status"]);
    const answer = await fetch(`http://127.0.0.1:${http.port}/sessions`, {
      method: "POST",
      headers: {
        authorization: `Bearer ${readFileSync(tokenFile, "utf8").trim()}`,
        "content-type": "application/json",
      },
      body: JSON.stringify({ prompt: "go", folder, name: "spawned", command: keepsEnvironment("spawned") }),
    });
    expect(answer.status, await answer.text()).toBeLessThan(300);
    await expectNone("spawned");
  });

  it("does not reach the desk's classifier", async () => {
    await bellhop.json(["desk", "try", "how are you?"]);
    await expectNone("classifier");
  });

  it("does not reach the programs of the system that notify a person and say whether they are there", async () => {
    await bellhop.json(["send", `person/${userInfo().username}`, "hello", "--from", "hosted"]);
    await expectNone("notify-send");
    await bellhop.json(["away", "status"]);
    await expectNone("loginctl");
  });

  it("is kept back as soon as the file names it", async () => {
    const config = join(bellhop.home, "config.yaml");
    const hooks = "  webhook: { port: 0, ci: { kind: token, secret_env: RIG_HOOK } }\n";
    await bellhop.runDetached(keepsEnvironment("before"), { name: "before", folder });
    expect((await inherited("before")).includes("RIG_HOOK=hooked-secret")).toBe(true);
    writeFileSync(config, `${readFileSync(config, "utf8")}${hooks}`);
    const client = await bellhop.client();
    const isOpen = async () =>
      (await client.call("bridges", {})).bridges.some(
        ({ name, state }) => name === "webhook" && state === "up",
      );
    await until(isOpen, "the new bridge");
    await bellhop.runDetached(keepsEnvironment("after"), { name: "after", folder });
    await expectNone("after", { ...SECRETS, ...LATER });
  });
});
