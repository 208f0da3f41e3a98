// Accessibility of the page as it is, in light and dark.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** Returns the rules that the page breaks, each with its colour scheme. */
export async function violationsOf(page) {
  await page.evaluate(axe);
  const found = [];
  for (const colorScheme of ['light', 'dark']) {
    await page.emulateMedia({ colorScheme });
    // The schemes differ only in colours.
    const rules = colorScheme === 'dark' ? { runOnly: ['color-contrast'] } : {};
    const { violations } = await page.evaluate((rules) => globalThis.axe.run(document, { resultTypes: ['violations'], ...rules }), rules);
    found.push(...violations.map((violation) => ({ colorScheme, ...violation })));
  }
  return found;
}

/** Returns what axe finds, one text for each rule. */
export async function inaccessible(page, name) {
  return (await violationsOf(page)).map(({ colorScheme, id, nodes }) =>
    `${colorScheme} ${name}: ${id}: ${nodes.slice(0, 3).map(({ html, failureSummary }) => `${html} ${failureSummary}`).join('\n')}`);
}
