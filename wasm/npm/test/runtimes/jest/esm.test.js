// Jest loads this file as ESM.
import { readFileSync } from 'node:fs';
import { decode, inspect, UnspoolError } from 'unspool';
import { decodePco } from 'unspool/pco';

const bytes = new Uint8Array(readFileSync(process.env.FILE));

test('decodes bytes of the realm of the test', async () => {
  expect(decodePco(bytes).data).toHaveLength(2000);
  expect((await decode(bytes)).arrays[0].dtype).toBe('int32');
  expect((await inspect(bytes)).error).toBeUndefined();
});

test('throws the errors of the package', async () => {
  await expect(decode(bytes.subarray(0, 1000))).rejects.toThrow(UnspoolError);
});
