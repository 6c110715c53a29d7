/** The browser's API for Trusted Types. TypeScript's own types lack it. */
interface TrustedTypes {
  createPolicy: (name: string, rules: Record<string, (text: string) => string | null>) => unknown;
}

/** The only script that may run as a worker: the worker of the map with streets. */
const MAP_WORKER = /^\/app\/assets\/maplibre-gl-worker-[\w-]+\.mjs$/;

/**
 * Lets the component library set the text of its style elements by `innerHTML`. The policy allows
 * a text without `<`, which contains no element. It refuses every other text, and the assignment
 * then throws.
 */
export function installTrustedTypes(): void {
  const { trustedTypes } = window as { trustedTypes?: TrustedTypes };
  trustedTypes?.createPolicy('default', {
    createHTML: (text) => (text.includes('<') ? null : text),
    createScriptURL: (url) => (MAP_WORKER.test(url) ? url : null),
  });
}
