import { defineConfig } from 'vite';

/** Builds the driver's page into the static files that the API serves below /d/. */
export default defineConfig({
  root: import.meta.dirname,
  base: '/d/',
  build: {
    outDir: '../../dist/driver-page',
    emptyOutDir: true,
    // Drivers use old phones too.
    target: 'es2020',
    // Inlined files would need `data:` in the Content-Security-Policy.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    rolldownOptions: {
      input: {
        main: `${import.meta.dirname}/index.html`,
        sw: `${import.meta.dirname}/sw.ts`,
      },
      output: {
        // The address of a service worker must never change. Its folder determines its scope.
        entryFileNames: ({ name }) => (name === 'sw' ? 'sw.js' : 'assets/[name]-[hash].js'),
      },
    },
  },
});
