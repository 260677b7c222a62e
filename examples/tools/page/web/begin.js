P.begin();
