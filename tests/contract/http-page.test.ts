/** The commands of docs/http.md, run word for word; and the answers it shows match the schemas. */
import { execFile } from "node:child_process";
import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  ESTIMATES,
  errorAnswer,
  remindAnswer,
  sendQueueAnswer,
  sentAnswer,
  urgentAnswer,
} from "../../src/wire/http/answers.ts";
import { DELIVERY_MODES } from "../../src/wire/http/fields.ts";
import { openapiDocument } from "../../src/wire/http/openapi.ts";
import { OPERATIONS } from "../../src/wire/http/operations.ts";
import {
  attentionBody,
  inboxQuery,
  nameBody,
  pauseBody,
  peekQuery,
  remindBody,
  restartBody,
  sendBody,
  spawnBody,
  stopBody,
  takeBody,
} from "../../src/wire/http/requests.ts";
import type { StatusResponse } from "../../src/wire/shapes/daemon.ts";
import { fencesIn, inlineCodeIn, readPage } from "../cli/pages.ts";
import { Bellhop } from "../rig/bellhop.ts";

const page = readPage("docs/http.md");
const shown = fencesIn(page, "json").map((text) => JSON.parse(text) as unknown);
const code = inlineCodeIn(page).join(" ");

describe("docs/http.md", () => {
  it("shows answers as they are", () => {
    const schemas = [sentAnswer, urgentAnswer, sendQueueAnswer, remindAnswer, errorAnswer];
    expect(shown.length).toBe(schemas.length);
    for (const [index, schema] of schemas.entries())
      expect(schema.safeParse(shown[index]).error?.message).toBeUndefined();
  });

  it("names every field, mode, estimate, path and status", () => {
    const words = (text: string) => new RegExp(`(?<![\\w-])${text}(?![\\w-])`);
    const fields = [
      sendBody,
      remindBody,
      spawnBody,
      stopBody,
      pauseBody,
      takeBody,
      restartBody,
      nameBody,
      attentionBody,
      peekQuery,
      inboxQuery,
    ].flatMap(({ shape }) => Object.keys(shape));
    const named = [...fields, ...DELIVERY_MODES, ...ESTIMATES.filter((each) => /_/.test(each)), "immediate"];
    expect(named.filter((each) => !words(each).test(`${code} ${fencesIn(page, "sh").join(" ")}`))).toEqual(
      [],
    );
    for (const { path } of Object.values(OPERATIONS)) {
      const pattern = path.replaceAll(/\{\w+\}/g, "[^/'\" ]+").replaceAll("/", "\\/");
      expect(page.text).toMatch(new RegExp(pattern));
    }
    const { components } = openapiDocument() as { readonly components: { readonly responses: object } };
    for (const name of Object.keys(components.responses).filter((each) => !each.endsWith("500")))
      expect(page.text).toMatch(new RegExp(`^\\| [\\d, ]*${name.slice(-3)}[\\d, ]* \\| `, "m"));
  });
});

describe("the commands of docs/http.md", () => {
  let bellhop: Bellhop;
  let port: number;
  let environment: Record<string, string>;

  beforeAll(async () => {
    bellhop = new Bellhop();
    await bellhop.start();
    for (const name of ["api", "web"]) await bellhop.json(["agent", "add", name]);
    port = (await bellhop.json<StatusResponse>(["status"])).http.port;
    const home = join(bellhop.home, "me");
    mkdirSync(home);
    symlinkSync(bellhop.home, join(home, ".bellhop"));
    environment = { ...bellhop.env, HOME: home };
  });
  afterAll(() => bellhop.dispose());

  it("do what the page says", async () => {
    const known = { message: "", reminder: "" };
    const outputs: string[] = [];
    const blocks = fencesIn(page, "sh").flatMap((block) =>
      block.replaceAll("\\\n", " ").trimEnd().split("\n"),
    );
    for (const line of blocks.filter((each) => each.includes("curl"))) {
      const typed = line
        .replaceAll("127.0.0.1:2355", `127.0.0.1:${port}`)
        .replaceAll("m7k2q9", known.message)
        .replaceAll("r4k9p2", known.reminder)
        // A program that every machine has.
        .replaceAll('["claude"]', '["cat"]')
        .replaceAll("curl ", "curl --silent --show-error ");
      const script = `cd ~; BELLHOP_SOCKET=~/.bellhop/run/http.sock\n${typed}`;
      const { stdout, stderr } = await promisify(execFile)("bash", ["-c", script], { env: environment });
      expect(stderr, typed).toBe("");
      outputs.push(stdout);
      const answer = stdout === "" ? {} : JSON.parse(stdout);
      if (answer.short_id !== undefined) known.message = answer.short_id;
      if (answer.reminder_id !== undefined) known.reminder = answer.reminder_id;
      if (!typed.includes("nobody")) expect(answer.error, typed).toBeUndefined();
    }
    const answers = outputs.filter((text) => text !== "").map((text) => JSON.parse(text) as object);
    expect(answers).toContainEqual(shown.at(-1));
    for (const field of [
      "sessions",
      "queue_position",
      "interrupted",
      "pending_messages",
      "message",
      "fire_at",
      "reminders",
      "entries",
      "running",
      "paused",
      "terminal",
      "screen",
      "outcome",
    ])
      expect(
        answers.some((answer) => field in answer),
        field,
      ).toBe(true);
  });
});
