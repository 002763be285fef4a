import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { WEBHOOK_KINDS, type WebhookKind } from "./config.ts";
import { eventOf } from "./events.ts";

const anything = fc.array(fc.integer({ min: 0, max: 0xffff })).map((codes) => String.fromCharCode(...codes));
const read = (kind: WebhookKind, payload: unknown, headers: Readonly<Record<string, string>> = {}) =>
  eventOf(kind, { header: (name) => headers[name], body: Buffer.alloc(0) }, payload);
const github = (event: string, payload: unknown) => read("github", payload, { "x-github-event": event });
const repository = { full_name: "acme/shop" };
const sender = { login: "ada" };

describe("an event of GitHub", () => {
  it.each([
    [
      "issues",
      { action: "opened", issue: { title: "It breaks", number: 12 }, repository, sender },
      "issues.opened",
      "issues opened: It breaks (acme/shop#12) by ada",
    ],
    [
      "issue_comment",
      {
        action: "created",
        issue: { title: "It breaks", number: 12 },
        comment: { body: "why" },
        repository,
        sender,
      },
      "issue_comment.created",
      "issue_comment created: It breaks (acme/shop#12) by ada",
    ],
    [
      "pull_request",
      { action: "synchronize", pull_request: { title: "Mend it", number: 13 }, repository, sender },
      "pull_request.synchronize",
      "pull_request synchronize: Mend it (acme/shop#13) by ada",
    ],
    [
      "push",
      {
        ref: "refs/heads/main",
        commits: [{}, {}],
        head_commit: { message: "Mend it\n\nwhy" },
        repository,
        pusher: { name: "ada" },
      },
      "push",
      "push: 2 commits to main, the last: Mend it (acme/shop) by ada",
    ],
    [
      "workflow_run",
      {
        action: "completed",
        workflow_run: { name: "ci", conclusion: "failure", head_branch: "main" },
        repository,
        sender,
      },
      "workflow_run.completed",
      "workflow_run completed: ci, failure, main (acme/shop) by ada",
    ],
    [
      "release",
      { action: "published", release: { tag_name: "v1" }, repository, sender },
      "release.published",
      "release published: v1 (acme/shop) by ada",
    ],
    [
      "ping",
      { zen: "Keep it logically awesome.", repository, sender },
      "ping",
      "ping: Keep it logically awesome. (acme/shop) by ada",
    ],
    ["star", { action: "created" }, "star.created", "star created"],
  ])("%s", (event, payload, topic, text) => {
    expect(github(event, payload)).toEqual({ topic, text });
  });

  it.each([
    [{ issue: { title: { toString: null }, number: "x" } }, "issues (#x)"],
    [{ action: ["opened"], issue: [], repository: 5, sender: null }, "issues"],
    [{ action: "opened", issue: { title: "a\u001b[2Jb\r\nc\u202e", number: 1e300 } }, "issues opened: ab"],
    [null, "issues"],
    [[1], "issues"],
    ["text", "issues"],
  ])("of an odd shape is told as far as it can be read: %j", (payload, text) => {
    expect(github("issues", payload).text).toBe(text);
  });

  it("whose name is none has the plain topic", () => {
    for (const name of ["", "../x", "a b", "x".repeat(65), "issues\u0000"])
      expect(github(name, {})).toEqual({ topic: "event", text: "an event of GitHub" });
  });

  it("has no id: what is not signed can be chosen by anybody", () => {
    expect(read("github", {}, { "x-github-delivery": "1", "x-github-event": "push" })).not.toHaveProperty(
      "id",
    );
  });
});

describe("an event of", () => {
  it.each<[WebhookKind, unknown, Readonly<Record<string, string>>, object]>([
    [
      "gitlab",
      {
        object_kind: "merge_request",
        object_attributes: { action: "open", title: "Mend it", iid: 3 },
        project: { path_with_namespace: "acme/shop" },
        user: { username: "ada" },
      },
      { "idempotency-key": "k1" },
      { topic: "merge_request.open", text: "merge_request open: Mend it (acme/shop!3) by ada", id: "k1" },
    ],
    [
      "gitlab",
      {
        object_kind: "push",
        ref: "refs/heads/main",
        project: { path_with_namespace: "acme/shop" },
        user_username: "ada",
      },
      {},
      { topic: "push", text: "push: refs/heads/main (acme/shop) by ada" },
    ],
    [
      "gitlab",
      { object_kind: "pipeline", object_attributes: { status: "failed", ref: "main", iid: 9 } },
      {},
      { topic: "pipeline.failed", text: "pipeline failed: main (#9)" },
    ],
    [
      "stripe",
      { id: "evt_1", type: "invoice.paid", data: { object: { id: "in_1" } } },
      {},
      { topic: "invoice.paid", text: "invoice.paid (in_1)", id: "evt_1" },
    ],
    [
      "slack",
      {
        type: "event_callback",
        event_id: "Ev1",
        event: { type: "app_mention", user: "U1", text: "hi\nthere", channel: "C1" },
      },
      {},
      { topic: "app_mention", text: "app_mention: hi (C1) by U1", id: "Ev1" },
    ],
    [
      "slack",
      { command: "/deploy", text: "now", user_id: "U1", trigger_id: "1.2.3" },
      {},
      { topic: "deploy", text: "/deploy: now by U1", id: "1.2.3" },
    ],
    [
      "standard",
      { type: "user.created", data: {} },
      { "webhook-id": "msg_1" },
      { topic: "user.created", text: "user.created", id: "msg_1" },
    ],
    ["token", { text: "two\nlines", topic: "build" }, {}, { topic: "build", text: "two\nlines" }],
    ["token", { message: "done" }, { "idempotency-key": "a b" }, { topic: "event", text: "done" }],
    ["token", "just words", {}, { topic: "event", text: "just words" }],
    ["token", {}, {}, { topic: "event", text: "an event" }],
  ])("%s is %j", (kind, payload, headers, event) => {
    expect(read(kind, payload, headers)).toEqual(event);
  });

  it("any kind has one segment for its topic and words, whatever it is", () => {
    const names = [
      "type",
      "action",
      "event",
      "topic",
      "object_kind",
      "command",
      "issue",
      "title",
      "ref",
      "text",
      "__proto__",
      "constructor",
    ];
    const { tree } = fc.letrec((tie) => ({
      tree: fc.oneof(
        { depthSize: "small" },
        anything,
        fc.double(),
        fc.constant(null),
        fc.array(tie("tree"), { maxLength: 2 }),
        fc.dictionary(fc.constantFrom(...names), tie("tree")),
      ),
    }));
    fc.assert(
      fc.property(fc.constantFrom(...WEBHOOK_KINDS), tree, fc.string(), (kind, payload, header) => {
        const { topic, text } = read(kind, payload, { "x-github-event": header, "webhook-id": header });
        expect(topic).toMatch(/^[\p{L}\p{N}][\p{L}\p{N}._:-]{0,119}$/u);
        expect(text).not.toBe("");
        expect(text.isWellFormed()).toBe(true);
      }),
    );
  });
});
