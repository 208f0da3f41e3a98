// The functions of every format.
export * from 'unspool/at1';
export * from 'unspool/cvc';
export * from 'unspool/gzip';
export * from 'unspool/onpair';
export * from 'unspool/pco';
export * from 'unspool/xz';
export * from 'unspool/xz-stream';
export * from 'unspool/zstd';
export * from 'unspool/zstd-stream';
