import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

/** The components of Mantine that the first page shows. */
const FIRST_PAGE_COMPONENTS = [
  'Accordion',
  'ActionIcon',
  'Alert',
  'Anchor',
  'Badge',
  'Burger',
  'Button',
  'CloseButton',
  'Code',
  'Collapse',
  'Flex',
  'FloatingIndicator',
  'Group',
  'Loader',
  'NavLink',
  'Paper',
  'Portal',
  'Progress',
  'SegmentedControl',
  'SimpleGrid',
  'Skeleton',
  'Stack',
  'Text',
  'Title',
  'Transition',
  'UnstyledButton',
  'VisuallyHidden',
];

/**
 * Puts the modules of the first page into one file. Otherwise the page would load some forty small
 * files. Excludes the modules of forms and dialogs
 * (test/integration/dashboard/dashboard-budget.test.ts).
 */
const FIRST_PAGE = new RegExp(
  [
    'node_modules/(react|react-dom|scheduler|@tanstack|openapi-|use-sync-external-store|clsx|lucide-react|use-sidecar|use-callback-ref|tslib|get-nonce)',
    'mantine/hooks',
    `mantine/core/esm/(core|components/ScrollArea/utils|components/(${FIRST_PAGE_COMPONENTS.join('|')})/)`,
    'dashboard/(api/|parts/(basics|url)/|parts/feedback/|parts/values/(money|summary|time|zoned-time|curl|code-block|copy)[.]|parts/record/(record-table|status-badge)|screens/screen-list|shell/)',
    'vite/preload-helper',
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
          groups: [{ name: 'first-page', test: FIRST_PAGE, minShareCount: 2 }],
        },
      },
    },
  },
});
