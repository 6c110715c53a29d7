import { expect } from 'chai';
import { useDashboard } from '../../support/browser/dashboard.js';

describe('Trusted Types of the dashboard', () => {
  const dashboard = useDashboard();

  it('the browser refuses a string that would become an element, and every further policy', async () => {
    // Use a page that `useDashboard` does not check, because each refusal logs an error in the
    // console.
    const page = await dashboard.browser.newPage();
    try {
      const response = await page.goto(`${dashboard.stack.origin}/app/`);
      const policy = response?.headers()['content-security-policy'];
      expect(policy).to.include("require-trusted-types-for 'script'").and.include('trusted-types default');
      await page.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor();
      const refusals = [
        'document.body.innerHTML = "<img src=x onerror=hacked=1>"',
        'document.body.insertAdjacentHTML("beforeend", "<p>text</p>")',
        'document.createElement("iframe").srcdoc = "<p>text</p>"',
        'document.createElement("script").src = "/app/assets/main.js"',
        'document.createElement("script").text = "hacked = 1"',
        'new Worker("/app/assets/main.js")',
        'trustedTypes.createPolicy("another", {})',
        'trustedTypes.createPolicy("default", {})',
      ];
      for (const code of refusals) {
        const name = await page.evaluate(`(() => { try { ${code} } catch (error) { return error.name } })()`);
        expect(name, code).to.equal('TypeError');
      }
      expect(await page.evaluate('window.hacked')).to.equal(undefined);
      await page.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor();
    } finally {
      await page.close();
    }
  });

  it('a text without elements is written as it is, which the library needs for its styles', async () => {
    const { page } = await dashboard.open('', { isSignedOut: true });
    await page.getByLabel('E-mail').waitFor();
    const css = ':root { --day: 1 }';
    const written = `(() => { const style = document.createElement('style');
      style.innerHTML = ${JSON.stringify(css)}; return style.textContent; })()`;
    expect(await page.evaluate(written)).to.equal(css);
    expect(await page.locator('style[data-mantine-styles]').count()).to.be.above(0);
  });
});
