import "../ui/apidocs";
