// Other decoders for the browser, and how to call each. None of them is part of this package.
const copy = (bytes) => new Uint8Array(bytes);

export const PEERS = {
  zstd: {
    fzstd: async () => {
      const { decompress } = await import('fzstd');
      return { decode: (bytes) => decompress(bytes), into: (bytes, room) => decompress(bytes, room) };
    },
    zstddec: async () => {
      const { ZSTDDecoder } = await import('zstddec');
      const decoder = new ZSTDDecoder();
      await decoder.init();
      return { decode: (bytes) => decoder.decode(bytes), into: (bytes, room) => decoder.decode(bytes, room.length) };
    },
    '@bokuweb/zstd-wasm': async () => {
      const { default: zstd } = await import('@bokuweb/zstd-wasm');
      await zstd.init();
      return { decode: (bytes) => copy(zstd.decompress(bytes)) };
    },
  },
  xz: {
    'xz-decompress': async () => {
      const { default: xz } = await import('xz-decompress');
      return {
        decode: async (bytes) => {
          const stream = new xz.XzReadableStream(new Blob([bytes]).stream());
          return copy(await new Response(stream).arrayBuffer());
        },
      };
    },
  },
  gzip: {
    pako: async () => {
      const { ungzip } = await import('pako');
      return { decode: (bytes) => ungzip(bytes) };
    },
    fflate: async () => {
      const { gunzipSync } = await import('fflate');
      return { decode: (bytes) => gunzipSync(bytes), into: (bytes, room) => gunzipSync(bytes, { out: room }) };
    },
  },
};
