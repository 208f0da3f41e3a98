// Jest loads this file as CommonJS.
const { readFileSync } = require('node:fs');

test('decodes from CommonJS', async () => {
  const { decodePco } = await import('unspool/pco');
  expect(decodePco(readFileSync(process.env.FILE)).data).toHaveLength(2000);
});
