// Draws the document that the page carries.

import { render } from "preact";
import { readDocument } from "./document";
import { Page } from "./page";
import "./style.css";
import "./pictures.css";
import "./screens.css";

const place = document.getElementById("page");
const data = document.getElementById("document")?.textContent ?? "";
if (place) {
  const read = readDocument(data);
  render(typeof read === "string" ? <p class="panel warning">{read}</p> : <Page document={read} />, place);
}
