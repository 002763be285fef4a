import { describe, expect, it } from "vitest";
import { parseConfig } from "../../../config/config.ts";
import { withAdded } from "../../../config/editing.ts";
import { BRIDGE_NAMES } from "../../../core/outside/places.ts";
import { bridge } from "../../commands/outside/bridge.ts";
import { optionsOf } from "./answering.ts";
import { recipeOf } from "./recipes.ts";
import { secretsMadeFor } from "./removing.ts";
import { LookingInbox } from "./trial.ts";

const GIVEN = {
  address: "Bot@example.com",
  "authserv-id": "mx.example.com",
  "imap-host": "imap.example.com",
  "smtp-host": "smtp.example.com",
  user: "bot",
  service: "github",
  person: "+1 (555) 123-4567",
};

describe("what a bridge needs to know", () => {
  it.each(BRIDGE_NAMES)(
    "for %s is a section that the config accepts, with secrets that are removed with it",
    (name) => {
      const recipe = recipeOf(name);
      if (recipe === undefined) throw new Error("none");
      const { path, value } = recipe.entry(GIVEN);
      const { bridges } = parseConfig(withAdded("# mine\n", path, value) ?? "", "config.yaml").values;
      const secrets = recipe.questions.flatMap(({ secret }) => (secret === undefined ? [] : secret(GIVEN)));
      expect(secretsMadeFor(name, bridges[name])).toEqual(secrets);
      const options = bridge.subcommands?.find((one) => one.name === "add")?.options ?? {};
      for (const option of recipe.questions.flatMap(optionsOf))
        expect(Object.keys(options)).toContain(option);
    },
  );

  it("a second webhook goes to the first", () => {
    const recipe = recipeOf("webhook");
    const add = (text: string, service: string) => {
      const { path, value } = recipe?.entry({ service }) ?? { path: [], value: [] };
      return withAdded(text, path, value) ?? "";
    };
    const { webhook } = parseConfig(add(add("", "github"), "stripe"), "c").values.bridges;
    expect(webhook?.services.map(({ name, kind }) => `${name} ${kind}`)).toEqual([
      "stripe stripe",
      "github github",
    ]);
  });

  it.each([
    ["telegram", "42", "telegram/42"],
    ["telegram", "@ada", undefined],
    ["telegram", "-100", undefined],
    ["slack", "U0ADA", "slack/team/@U0ADA"],
    ["slack", "ada", undefined],
    ["email", "Ada@Home.org", "email/bot@example.com/ada@home.org"],
    ["email", "ada", undefined],
    ["imessage", "+1 (555) 123-4567", "imessage/+15551234567"],
    ["imessage", "555", undefined],
  ])("in %s, %j is %s", (name, id, channel) => {
    expect(recipeOf(name)?.person?.channel(id, { ...GIVEN, workspace: "team" })).toBe(channel);
  });

  it("leaves secrets elsewhere to their owner", () => {
    const at = (path: string) => ({ token: { kind: "file", path } });
    expect(secretsMadeFor("telegram", at("/home/me/token"))).toEqual([]);
    expect(secretsMadeFor("telegram", at("secrets/slack-app-token"))).toEqual([]);
    expect(secretsMadeFor("telegram", at("secrets/telegram-/../../x"))).toEqual([]);
  });
});

describe("the inbox of a trial", () => {
  const arrival = (text: string, from = "42") => ({ externalId: text, path: `telegram/${from}`, from, text });

  it("knows a person by the code, and nobody before there is one; it leaves everything where it is", async () => {
    const inbox = new LookingInbox();
    const taken = [await inbox.take(arrival("undefined"))];
    inbox.code = "bellhop-123456";
    taken.push(
      await inbox.take(arrival("bellhop-1234567", "666")),
      await inbox.take(arrival("123456", "666")),
    );
    expect(inbox.writer).toBeUndefined();
    taken.push(await inbox.take(arrival("/start bellhop-123456")));
    taken.push(await inbox.take(arrival("bellhop-123456", "666")));
    expect(inbox.writer).toBe("telegram/42");
    expect(taken).toEqual(["left", "left", "left", "left", "left"]);
  });

  it("knows the code as a telephone writes it", async () => {
    const inbox = new LookingInbox();
    inbox.code = "bellhop-123456";
    await inbox.take(arrival(" Bellhop-123456\n"));
    expect(inbox.writer).toBe("telegram/42");
  });

  it("does not take the word of somebody whom the platform does not vouch for", async () => {
    const inbox = new LookingInbox();
    inbox.code = "bellhop-123456";
    await inbox.take(arrival("bellhop-123456", ""));
    expect(inbox.writer).toBeUndefined();
  });
});
