import { showsGeminiPermissionDialog } from "../rig/gemini.ts";
import { GeminiDesk } from "./gemini-desk.ts";
import { describeHookRung } from "./hook-rung.ts";

describeHookRung({
  program: "gemini",
  title: "Gemini CLI",
  inARow: 50,
  reports: true,
  asksToTouch: (file) => `[[bash touch ${file}]]`,
  showsDialog: showsGeminiPermissionDialog,
  yes: "\r",
  open: (config, where) => GeminiDesk.open(config, where),
  seat: (desk, name) => (desk as GeminiDesk).seat(name),
});
