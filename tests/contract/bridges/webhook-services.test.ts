import { createHash } from "node:crypto";
import { Webhook } from "standardwebhooks";
import Stripe from "stripe";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { WebhookScene } from "./webhook-scene.ts";
import { bearer, STANDARD, STRIPE, slackHeaders, TOKEN } from "./webhook-stage.ts";

describe("webhooks", () => {
  let scene: WebhookScene;
  let stage: WebhookScene["stage"];
  let inbox: WebhookScene["inbox"];
  const open: WebhookScene["bridge"] = (services) => scene.bridge(services);
  const statusOf: WebhookScene["statusOf"] = (...call) => scene.statusOf(...call);
  const github: WebhookScene["github"] = (...call) => scene.github(...call);

  beforeEach(async () => {
    scene = await WebhookScene.open();
    ({ stage, inbox } = scene);
  });
  afterEach(() => scene.close());

  it("of GitHub are an event and its action, with the whole payload", async () => {
    await open();
    const payload = {
      action: "opened",
      issue: { title: "It breaks", number: 12 },
      repository: { full_name: "acme/shop" },
      sender: { login: "ada" },
    };
    const body = JSON.stringify(payload, null, 2);
    expect((await github(body)).status).toBe(200);
    expect(inbox.taken).toEqual([
      {
        externalId: `github/${createHash("sha256").update(body).digest("hex")}`,
        path: "webhook/github/issues.opened",
        from: "github",
        text: "issues opened: It breaks (acme/shop#12) by ada",
        payload,
      },
    ]);
  });

  it("of GitHub that are sent again are one, whatever is written into the parts that are not signed", async () => {
    await open();
    for (const delivery of ["1", "1", "2"])
      for (const event of ["push", "issues"])
        expect((await github('{"ref":"x"}', event, { "x-github-delivery": delivery })).status).toBe(200);
    expect(inbox.taken).toHaveLength(1);
    expect(inbox.repeated).toHaveLength(5);
  });

  it("of Stripe are known again by their event, though each try is signed anew", async () => {
    await open();
    const body = JSON.stringify({ id: "evt_1", type: "invoice.paid", data: { object: { id: "in_1" } } });
    const { webhooks } = new Stripe("sk_test_x");
    for (const ago of [0, 60, 299]) {
      const timestamp = Math.floor(Date.now() / 1_000) - ago;
      const signature = webhooks.generateTestHeaderString({ payload: body, secret: STRIPE, timestamp });
      expect(await statusOf("/stripe", body, { "stripe-signature": signature })).toBe(200);
    }
    expect(inbox.taken).toMatchObject([
      { externalId: "stripe/evt_1", path: "webhook/stripe/invoice.paid", text: "invoice.paid (in_1)" },
    ]);
  });

  it("are refused if they are old, or if a clock is wrong, without saying so to the sender", async () => {
    await open();
    const body = '{"type":"user.created"}';
    const at = new Date();
    const headers = {
      "webhook-id": "msg_1",
      "webhook-timestamp": String(Math.floor(at.getTime() / 1_000)),
      "webhook-signature": new Webhook(STANDARD).sign("msg_1", at, body),
    };
    for (const minutes of [-6, 6]) {
      stage.skewMs = minutes * 60_000;
      const answer = await stage.post("/clerk", body, headers);
      expect([answer.status, await answer.text()]).toEqual([401, ""]);
    }
    expect(stage.lines).toContainEqual({
      event: "a webhook is refused",
      fields: { service: "clerk", why: "stale", count: 1 },
    });
    stage.skewMs = 0;
    expect(await statusOf("/clerk", body, headers)).toBe(200);
    expect(inbox.taken).toMatchObject([{ externalId: "clerk/msg_1", path: "webhook/clerk/user.created" }]);
  });

  it("of Slack answer its question whether the address is ours, and lose the old token", async () => {
    await open();
    const question = '{"type":"url_verification","challenge":"abc","token":"old"}';
    const answer = await stage.post("/slack", question, slackHeaders(question));
    expect([answer.status, await answer.text()]).toEqual([200, "abc"]);
    expect(await statusOf("/slack", question, {})).toBe(401);
    const form = "token=old&command=%2Fdeploy&text=now&user_id=U1&trigger_id=1.2";
    const type = { "content-type": "application/x-www-form-urlencoded" };
    expect(await statusOf("/slack", form, { ...type, ...slackHeaders(form) })).toBe(200);
    const press = `payload=${encodeURIComponent('{"type":"block_actions","trigger_id":"3.4","user":{"id":"U1"}}')}`;
    expect(await statusOf("/slack", press, { ...type, ...slackHeaders(press) })).toBe(200);
    expect(inbox.taken).toMatchObject([
      { path: "webhook/slack/deploy", text: "/deploy: now by U1", payload: { command: "/deploy" } },
      { path: "webhook/slack/block_actions", text: "block_actions by U1" },
    ]);
    expect(inbox.taken[0]?.payload).not.toHaveProperty("token");
  });

  it("of a script say the same again tomorrow, but not twice because an answer was lost", async () => {
    const first = await open();
    const nightly = () => statusOf("/ci/nightly", '{"text":"The build is red."}', bearer);
    expect([await nightly(), await nightly()]).toEqual([200, 200]);
    await first.close();
    await open();
    expect(await nightly()).toBe(200);
    stage.skewMs = 86_400_000;
    expect(await nightly()).toBe(200);
    expect(inbox.texts()).toEqual(["The build is red.", "The build is red."]);
    expect(inbox.taken[0]).toMatchObject({
      path: "webhook/ci/nightly",
      from: "ci",
      payload: { text: "The build is red." },
    });
  });

  it("of GitLab need its token", async () => {
    await open();
    const body = '{"object_kind":"push"}';
    expect(await statusOf("/gitlab", body, { "x-gitlab-token": `${TOKEN}x` })).toBe(401);
    expect(await statusOf("/gitlab", body, { "x-gitlab-token": TOKEN })).toBe(200);
    expect(inbox.taken).toMatchObject([{ path: "webhook/gitlab/push" }]);
  });
});
