import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

/** The components of Mantine that the first page shows. */
const FIRST_PAGE_COMPONENTS = [
  'ActionIcon',
  'Alert',
  'Anchor',
  'Badge',
  'Burger',
  'Button',
  'CloseButton',
  'Code',
  'Flex',
  'Group',
  'Loader',
  'Paper',
  'Progress',
  'SimpleGrid',
  'Skeleton',
  'Stack',
  'Text',
  'Title',
  'Transition',
  'UnstyledButton',
  'VisuallyHidden',
];
/** What only fields, menus and dialogs use of Mantine's hooks and helpers. */
const HOOKS_OF_FORMS =
  'use-(click-outside|debounced-[a-z]+|focus-return|focus-trap|force-update|long-press|previous|window-event)|utils/clamp';
const HELPERS_OF_FORMS =
  'DirectionProvider|utils/(close-on-escape|create-(event|scoped-keydown)-handler|find-element-[a-z-]+|get-(default-z-index|ref-prop|safe-id|single-element-child)|is-element)';

/**
 * Puts the modules of the first page into one file. Otherwise the page would load some forty small
 * files. Excludes the modules of forms and dialogs
 * (test/integration/dashboard/dashboard-budget.test.ts).
 */
const FIRST_PAGE = new RegExp(
  [
    'node_modules/(react|react-dom|scheduler|@tanstack|openapi-[a-z-]+|use-sync-external-store|clsx|lucide-react)/',
    `mantine/hooks/esm/(?!${HOOKS_OF_FORMS})`,
    `mantine/core/esm/core/(?!${HELPERS_OF_FORMS})`,
    `mantine/core/esm/components/(${FIRST_PAGE_COMPONENTS.join('|')})/`,
    'dashboard/api/(?!use-write|use-dry-run)',
    'dashboard/parts/(basics/|url/(?!entity-link)|feedback/problem-alert|product-name)',
    'dashboard/parts/values/(money|summary|time|zoned-time|curl|code-block|copy)[.]',
    'dashboard/(parts/record/(record-table|status-badge)|screens/screen-list|shell/)',
    'vite/preload-helper',
  ].join('|'),
);
/** The modules that all dialogs and drawers use, also in one file. */
const DIALOGS = new RegExp(
  [
    'node_modules/(react-remove-scroll|react-remove-scroll-bar|react-style-singleton|use-sidecar|use-callback-ref|tslib|get-nonce)/',
    `mantine/hooks/esm/(${HOOKS_OF_FORMS})`,
    `mantine/core/esm/core/(${HELPERS_OF_FORMS})`,
    'mantine/core/esm/components/(FocusTrap|Modal|ModalBase|Overlay|Portal|RemoveScroll|ScrollArea)/',
    'dashboard/(api/(use-write|use-dry-run)|parts/dialogs/)',
  ].join('|'),
);

/** Builds the dashboard into the static files that the API serves at /app/. */
export default defineConfig({
  root: import.meta.dirname,
  base: '/app/',
  plugins: [react()],
  // `npx vite dashboard` shows edits immediately, with the API of `npm start`. The entry of `/v1`
  // is an object, because the proxy then keeps the page's Host header. Otherwise the API would
  // refuse writes, whose Origin would not match the Host.
  server: { proxy: { '/v1': { target: 'http://127.0.0.1:3000' }, '/docs': 'http://127.0.0.1:3000' } },
  build: {
    outDir: '../dist/dashboard',
    emptyOutDir: true,
    manifest: true,
    target: 'es2022',
    // Inlined files would need `data:` in the Content-Security-Policy.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    chunkSizeWarningLimit: 1100,
    rolldownOptions: {
      output: {
        codeSplitting: {
          includeDependenciesRecursively: false,
          groups: [
            { name: 'first-page', test: FIRST_PAGE, minShareCount: 2 },
            { name: 'dialogs', test: DIALOGS, minShareCount: 2 },
          ],
        },
      },
    },
  },
});
