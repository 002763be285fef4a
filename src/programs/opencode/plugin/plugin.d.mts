interface PluginParts {
  readonly run?: (script: string, event: string, payload: string) => Promise<void>;
  readonly graceMs?: number;
}
export function start(
  api: object,
  home: string,
  parts?: PluginParts,
): { stop(): void; reported(): Promise<unknown> };
declare const plugin: { readonly id: string; readonly tui: (api: object) => Promise<void> };
export default plugin;
