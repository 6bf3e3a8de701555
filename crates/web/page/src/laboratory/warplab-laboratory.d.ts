// What wasm-bindgen writes; build.sh makes it.
declare module "warplab-laboratory" {
  export class Laboratory {
    constructor();
    answer(request: string): string;
  }
  export default function start(options: { module_or_path: string }): Promise<unknown>;
}
