/** `bellhop bridge add`, `test` and `remove` as built, with a Telegram of our own and a real daemon. */
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { until } from "../rig/scripted-agent.ts";
import { codeOf, PERSON, stagePerTest } from "./bridge-commands-stage.ts";

const stage = stagePerTest();

describe("a bridge", () => {
  it("is added once it was tried, tested, refused a second time, and removed without a trace", async () => {
    const { telegram, bellhop, before, config, secret, add } = stage();
    const added = await add(["--person", String(PERSON)]);
    expect(added.stderr).toBe("");
    expect(JSON.parse(added.stdout)).toMatchObject({
      bridge: { name: "telegram", state: "up" },
      channel: "telegram/42",
      secrets: [secret()],
    });
    expect(config().startsWith(before)).toBe(true);
    expect(statSync(secret()).mode & 0o777).toBe(0o600);
    expect(readFileSync(secret(), "utf8")).toBe(`${telegram.token}\n`);
    expect(bellhop.log() + added.stdout + config()).not.toContain(telegram.token);

    const tested = await bellhop.run(["bridge", "test", "telegram"]);
    expect(tested).toMatchObject({ code: 0, stdout: expect.stringContaining("✓ Delivered to telegram/42") });
    expect(telegram.heard(PERSON).map(({ text }) => text)).toEqual([
      "This is a test of Bellhop. Nothing to do.",
    ]);

    telegram.chat(PERSON).isBlocked = true;
    const failed = await bellhop.run(["bridge", "test", "telegram", "--json"]);
    expect(failed.code).toBe(1);
    expect(failed.stderr).toContain("bot was blocked by the user");

    const again = await add(["--person", String(PERSON)]);
    expect([again.code, codeOf(again)]).toEqual([1, "bridge.exists"]);

    const removed = await bellhop.json<{ channels: unknown }>(["bridge", "remove", "telegram"]);
    expect(removed).toMatchObject({ channels: ["telegram/42"], secrets: [secret()] });
    expect(config()).toBe(before);
    expect(existsSync(secret())).toBe(false);
    const isGone = async () => (await bellhop.json<unknown[]>(["bridge", "list"])).length === 0;
    await until(isGone, "the daemon to close it");
    const unknown = await bellhop.run(["bridge", "remove", "telegram", "--json"]);
    expect([unknown.code, codeOf(unknown)]).toEqual([3, "bridge.unknown"]);
  });

  it.each([
    ["a token that Telegram refuses", ["--person", "42"], "7000000001:wrong", "bridge.refused", 1],
    ["what is no token", ["--person", "42"], "hello", "config.invalid", 1],
    ["nobody's id", ["--person", "Ada"], undefined, "usage.invalid", 2],
    ["nobody", [], undefined, "usage.invalid", 2],
    ["an option of another bridge", ["--person", "42", "--imap-host", "x"], undefined, "usage.invalid", 2],
    [
      "a secret that everybody sees",
      ["--person", "42", "--token=7000000001:seen"],
      undefined,
      "usage.invalid",
      2,
    ],
  ])(
    "is not added with %s: nothing is written, no secret is shown",
    async (_what, more, token, code, status) => {
      const { bellhop, before, config, add } = stage();
      const ran = await add(more, token);
      expect([ran.code, codeOf(ran)]).toEqual([status, code]);
      expect(ran.stderr + ran.stdout).not.toMatch(/wrong|seen"|rehearsal-of/);
      expect(config()).toBe(before);
      expect(readdirSync(bellhop.home)).not.toContain("secrets");
    },
  );

  it("whose token was revoked gets a new one by being added again, and is connected without a restart", async () => {
    const { telegram, bellhop, config, secret, add, arrived } = stage();
    expect((await add(["--person", String(PERSON)])).code).toBe(0);
    const written = config();
    writeFileSync(secret(), "7000000001:revoked\n");
    const isStuck = async () =>
      (await bellhop.json<{ stuck?: true }[]>(["bridge", "list"])).some(({ stuck }) => stuck === true);
    await until(isStuck, "the daemon to notice");
    const again = (more: readonly string[], stdin = telegram.token) =>
      bellhop.run(["bridge", "add", "telegram", "--token", "-", "--json", ...more], { stdin });
    const script = await again([]);
    expect([script.code, codeOf(script)]).toEqual([1, "bridge.exists"]);
    expect(script.stderr).toContain("To give it a new secret: bellhop bridge add telegram --yes");
    const wrong = await again(["--yes"], "7000000001:wrong");
    expect([wrong.code, codeOf(wrong)]).toEqual([1, "bridge.refused"]);
    expect(readFileSync(secret(), "utf8")).toBe("7000000001:revoked\n");
    telegram.says({ chat: PERSON, from: PERSON, text: "who is there?" });
    const replaced = await again(["--yes"]);
    expect(replaced.stderr).toBe("");
    expect(JSON.parse(replaced.stdout)).toMatchObject({ replaced: true, bridge: { state: "up" } });
    expect(readFileSync(secret(), "utf8")).toBe(`${telegram.token}\n`);
    expect(statSync(secret()).mode & 0o777).toBe(0o600);
    expect(config()).toBe(written);
    await until(async () => (await arrived()).length > 0, "what waited at Telegram");
    expect((await bellhop.run(["bridge", "test", "telegram"])).code).toBe(0);
    expect(await arrived()).toEqual(["who is there?"]);
  });

  it("is not removed with what waits for it, unless that is cancelled; messages that wait for us survive", async () => {
    const { telegram, bellhop, secret, add, arrived } = stage();
    expect((await add(["--person", String(PERSON)])).code).toBe(0);
    telegram.outage(true);
    expect((await bellhop.run(["send", "telegram/42", "for the old bot"])).code).toBe(0);
    const refused = await bellhop.run(["bridge", "remove", "telegram", "--json"]);
    expect([refused.code, refused.stderr]).toEqual([
      2,
      expect.stringContaining("1 message waits to go out through telegram. Nothing was removed."),
    ]);
    expect(existsSync(secret())).toBe(true);
    expect(await bellhop.json(["bridge", "remove", "telegram", "--yes"])).toMatchObject({ cancelled: 1 });
    const { stdout } = await bellhop.run(["history", "--json"]);
    expect(stdout).toContain('"cancelled"');
    telegram.outage(false);
    telegram.says({ chat: PERSON, from: PERSON, text: "who is there?" });
    expect((await add(["--person", String(PERSON)])).code).toBe(0);
    await until(() => telegram.api.updates.count === 0, "what waited at Telegram");
    expect(await arrived()).toEqual(["who is there?"]);
    expect(telegram.heard(PERSON).map(({ text }) => text)).not.toContain("for the old bot");
  });

  it("is removed while the daemon is stopped, and not opened for that: what waits is not said first", async () => {
    const { telegram, bellhop, before, config, secret, add } = stage();
    expect((await add(["--person", String(PERSON)])).code).toBe(0);
    telegram.outage(true);
    expect((await bellhop.run(["send", "telegram/42", "for nobody"])).code).toBe(0);
    await bellhop.stop();
    telegram.outage(false);
    const refused = await bellhop.run(["bridge", "remove", "telegram", "--json"]);
    expect([refused.code, refused.stderr]).toEqual([
      2,
      expect.stringContaining(
        "The daemon is not running: it is not known whether messages wait to go out through telegram. Nothing was removed.",
      ),
    ]);
    expect(refused.stderr).toContain("To cancel whatever waits: bellhop bridge remove telegram --yes");
    expect([(await bellhop.run(["status"])).code, existsSync(secret())]).toEqual([5, true]);
    expect(await bellhop.json(["bridge", "remove", "telegram", "--yes"])).toMatchObject({
      channels: ["telegram/42"],
      secrets: [secret()],
      cancelled: 1,
    });
    expect([config(), existsSync(secret())]).toEqual([before, false]);
    expect(telegram.heard(PERSON).map(({ text }) => text)).not.toContain("for nobody");
  });

  it("is not added over a secret that is there, nor into a file that cannot be changed safely", async () => {
    const { bellhop, before, config, add } = stage();
    expect((await add(["--person", "42"])).code).toBe(0);
    writeFileSync(join(bellhop.home, "config.yaml"), before);
    const taken = await add(["--person", "42"]);
    expect([taken.code, codeOf(taken)]).toEqual([1, "file.unsafe"]);
    expect(config()).toBe(before);
    const strange = `${before}bridges: ~\n`;
    writeFileSync(join(bellhop.home, "config.yaml"), strange);
    expect((await add(["--person", "42"])).code).toBe(1);
    expect(config()).toBe(strange);
  });
});
