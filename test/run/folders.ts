/**
 * Folders of `npm test`. Folders whose tests mostly wait come first. Every second process takes
 * batches from the end of the list, so that tests that wait run beside tests that compute.
 */
export const FOLDERS = ['test/e2e', 'test/browser', 'test/integration', 'test/contract', 'test/unit'];
