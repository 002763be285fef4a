import { describeReceiving } from "./contract.ts";
import { WebhookStage } from "./webhook-stage.ts";

describeReceiving("webhook", () => WebhookStage.open());
