import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { PROJECT } from '../../support/load/processes.js';

const MAX_BYTES = 200_000;
/** A picture in Markdown, such as `![The overview](docs/pictures/overview-light.png)`. */
const PICTURE = /!\[[^\]]+\]\(([^)]+)\)/g;

describe('the pictures of README', () => {
  it('README shows two pictures of the dashboard, each of at most 200 KB', () => {
    const text = readFileSync(join(PROJECT, 'README.md'), 'utf8');
    const files = [...text.matchAll(PICTURE)].map(([, file = '']) => file);
    expect(files).to.have.length(2);
    for (const file of files)
      expect(statSync(join(PROJECT, file)).size, file).to.be.within(10_000, MAX_BYTES);
  });
});
