import { showsClaudePermissionDialog } from "../rig/claude.ts";
import { ClaudeWindows } from "./claude-windows.ts";
import { describeHookRung } from "./hook-rung.ts";

describeHookRung({
  program: "claude",
  title: "Claude Code",
  inARow: 7,
  asksToTouch: (file) => `[[bash touch ${file}]]`,
  showsDialog: showsClaudePermissionDialog,
  yes: "1",
  open: (config, where) => ClaudeWindows.open(config, where),
  seat: (desk, name) => (desk as ClaudeWindows).seat(name),
});
