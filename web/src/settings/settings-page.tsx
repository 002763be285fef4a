/** This device, and the browsers that may act for the person. */
import { useEffect } from "preact/hooks";
import { askingAgain } from "../board/asking.ts";
import { isLive } from "../board/store.ts";
import { TEXT } from "../strings.ts";
import { LoginsSection, loadLogins } from "./logins-section.tsx";
import { isInstalled, load } from "./notifications.ts";
import { NotifySection } from "./notify-section.tsx";
import { QuietSection } from "./quiet-section.tsx";

export function SettingsPage() {
  // Also when the page is live again: it may have changed meanwhile.
  useEffect(() => {
    if (!isLive.value) return;
    const askings = [askingAgain(load), askingAgain(loadLogins)];
    for (const asking of askings) asking.changed();
    return () => {
      for (const asking of askings) asking.end();
    };
  }, [isLive.value]);
  const { install } = TEXT.settings;
  return (
    <section class="page settings" aria-labelledby="page-title">
      <h2 id="page-title">{TEXT.pages.settings}</h2>
      <NotifySection />
      <QuietSection />
      <section class="setting" aria-labelledby="install-title">
        <h3 id="install-title">{install.title}</h3>
        {isInstalled() ? (
          <p>{install.installed}</p>
        ) : (
          <>
            <p>{install.ios}</p>
            <p>{install.others}</p>
          </>
        )}
      </section>
      <LoginsSection />
    </section>
  );
}
