/** By sub-path only: the root of natural prints, reads .env and loads 1,269 modules. */
declare module 'natural/lib/natural/stemmers/porter_stemmer.js' {
  const stemmer: { stem(token: string): string };
  export default stemmer;
}
