// Opens the page at an address, and sees that a sample decodes: `npm run check -- http://localhost:8000/`
import { launch, watchedPage } from './browser.mjs';

const [url] = process.argv.slice(2);
if (url === undefined) {
  console.error('usage: npm run check -- URL');
  process.exit(2);
}
const browser = await launch();
try {
  const { page, wrong } = await watchedPage(browser, new URL('/', url).href);
  await page.goto(`${url}#sample=embeddings`);
  // The first value of the first vector, as numpy prints it.
  await page.locator('.preview tbody td', { hasText: /^-0\.012398$/ }).first().waitFor({ timeout: 30_000 });
  await page.getByText('CVC embedding vectors').waitFor();
  await page.getByRole('tab', { name: 'Structure' }).click();
  await page.getByRole('treeitem', { name: /magic CVCF/ }).waitFor();
  if (wrong.length > 0) throw new Error(wrong.join('\n'));
  console.log(`${url} shows the sample and its values`);
} catch (error) {
  console.error(`error: ${error.message}`);
  process.exitCode = 1;
} finally {
  await browser.close();
}
