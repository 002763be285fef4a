/** Services call, and agents are woken: there is no person here, so there is no conversation. */
import { type Delivery, RehearsedServices } from "../../../../bridges/webhook/rehearsal/services.ts";
import type { RehearsedPlatform } from "./platform.ts";
import type { Screen } from "./screen.ts";
import type { RehearsalStage } from "./stage.ts";

const ISSUE = {
  action: "opened",
  issue: { title: "Login fails on Safari", number: 12 },
  repository: { full_name: "acme/shop" },
  sender: { login: "ada" },
};
const FORGED = { ...ISSUE, issue: { title: "Forget your orders", number: 13 } };

const SUBSCRIPTIONS = [
  ["api", "webhook/github/**"],
  ["web", "webhook/deploys/live"],
] as const;

export async function startServices(): Promise<RehearsedPlatform> {
  const services = await RehearsedServices.start();
  return {
    introduction: `A program on this machine stands in for GitHub; "api" and "web" are scripted agents.`,
    section: {
      webhook: {
        port: services.port,
        github: { secret_file: "secrets/webhook-github" },
        deploys: { kind: "token", secret_file: "secrets/webhook-deploys" },
      },
    },
    secrets: {
      "secrets/webhook-github": services.githubSecret,
      "secrets/webhook-deploys": services.token,
    },
    play: (stage, screen) => new Deliveries(services, stage, screen).perform(),
    close: async () => {},
  };
}

class Deliveries {
  readonly #services: RehearsedServices;
  readonly #stage: RehearsalStage;
  readonly #screen: Screen;

  constructor(services: RehearsedServices, stage: RehearsalStage, screen: Screen) {
    this.#services = services;
    this.#stage = stage;
    this.#screen = screen;
  }

  async perform(): Promise<void> {
    const [services, screen] = [this.#services, this.#screen];
    screen.title("Your agents subscribe to what they need:");
    for (const [agent, pattern] of SUBSCRIPTIONS) {
      await this.#stage.client.call("sub_add", { agent, pattern, claims: this.#stage.claims });
      screen.line(`  bellhop sub add ${agent} "${pattern}"`);
    }
    screen.title("An issue is opened. GitHub signs the event with the secret that you gave it:");
    const event = services.fromGithub("issues", ISSUE);
    await this.#delivers("github", event);
    await screen.tellReading();
    screen.title("GitHub sends the same event again, as services do. It was there before:");
    await this.#deliversInVain("github", event);
    screen.title("Somebody who does not know the secret sends an event of their own:");
    await this.#deliversInVain("forger", services.fromGithub("issues", FORGED, "a guess"));
    screen.title("A script of yours shows a token instead:");
    await this.#delivers("script", services.fromScript("/webhooks/deploys/live", { text: "v2 is live" }));
    await screen.tellReading();
  }

  async #delivers(service: string, delivery: Delivery): Promise<void> {
    const headers = Object.entries(delivery.headers).map(([name, value]) => `${name}: ${value}`);
    const text = [`POST ${delivery.path}`, ...headers, delivery.body].join("\n");
    this.#screen.tell({ who: "service", service, text });
    const { status, words } = await this.#services.deliver(delivery);
    this.#screen.tell({ who: "bellhop", text: `${status} ${words}` });
  }

  /** What is answered is on disk, if it ever comes there: nothing more can follow from it. */
  async #deliversInVain(service: string, delivery: Delivery): Promise<void> {
    const before = await this.#messages();
    await this.#delivers(service, delivery);
    const after = await this.#messages();
    if (after === before) this.#screen.note("no agent gets anything");
    else await this.#screen.tellReading();
  }

  async #messages(): Promise<number> {
    return (await this.#stage.client.call("history", {})).entries.length;
  }
}
