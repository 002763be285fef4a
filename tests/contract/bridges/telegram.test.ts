import { describeReceiving, describeSpeaking } from "./contract.ts";
import { TelegramStage } from "./telegram-stage.ts";

describeReceiving("telegram", () => TelegramStage.open());
describeSpeaking("telegram", () => TelegramStage.open());
