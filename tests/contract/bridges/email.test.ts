import { afterAll } from "vitest";
import { describeReceiving, describeSpeaking } from "./contract.ts";
import { closeSharedServer, EmailStage } from "./email-stage.ts";

afterAll(closeSharedServer);

describeReceiving("email", () => EmailStage.open());
describeSpeaking("email", () => EmailStage.open());
