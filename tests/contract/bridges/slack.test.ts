import { describeReceiving, describeSpeaking } from "./contract.ts";
import { SlackStage } from "./slack-stage.ts";

describeReceiving("slack", () => SlackStage.open());
describeSpeaking("slack", () => SlackStage.open());
