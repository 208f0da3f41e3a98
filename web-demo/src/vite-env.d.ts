/// <reference types="vite/client" />
declare module '*.cvc?url' {
  const url: string;
  export default url;
}
