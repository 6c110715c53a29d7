/** What the browsers that know Trusted Types offer; TypeScript's own types lack it. */
interface TrustedTypes {
  createPolicy: (name: string, rules: Record<string, (text: string) => string | null>) => unknown;
}

/** The one script that may run as a worker: that of the map with streets. */
const MAP_WORKER = /^\/app\/assets\/maplibre-gl-worker-[\w-]+\.mjs$/;

/**
 * Lets the component library write the text of its style elements by `innerHTML`. A text without
 * `<` contains no element; every other text is refused, and the assignment throws.
 */
export function installTrustedTypes(): void {
  const { trustedTypes } = window as { trustedTypes?: TrustedTypes };
  trustedTypes?.createPolicy('default', {
    createHTML: (text) => (text.includes('<') ? null : text),
    createScriptURL: (url) => (MAP_WORKER.test(url) ? url : null),
  });
}
