import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

/** Builds the dashboard into the static files that the API serves at /app/. */
export default defineConfig({
  root: import.meta.dirname,
  base: '/app/',
  plugins: [react()],
  // `npx vite dashboard` shows edits at once, with the API of `npm start`. Written as an object,
  // `/v1` keeps the Host of the page; the API refuses writes from pages of another host.
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
    chunkSizeWarningLimit: 1000,
  },
});
