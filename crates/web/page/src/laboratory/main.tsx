// Starts the laboratory.

import { render } from "preact";
import { App } from "./app";
import "../style.css";
import "../pictures.css";
import "../screens.css";
import "./laboratory.css";

const place = document.getElementById("page");
if (place) render(<App />, place);
