// @ts-check
// Dark or light: the system's choice, until the button is pressed.
const root = document.documentElement;
const dark = matchMedia("(prefers-color-scheme: dark)");
const themeButton = document.getElementById("theme");

function theme() {
  return root.dataset.theme || (dark.matches ? "dark" : "light");
}
function nameTheme() {
  if (themeButton) themeButton.textContent = theme() === "dark" ? "Light" : "Dark";
}
if (themeButton) {
  themeButton.addEventListener("click", () => {
    root.dataset.theme = theme() === "dark" ? "light" : "dark";
    nameTheme();
  });
}
dark.addEventListener("change", nameTheme);
nameTheme();

